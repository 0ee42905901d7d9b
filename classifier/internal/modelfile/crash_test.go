package modelfile

import (
	"bytes"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writerVariable makes the test binary a program that writes the file it names, for ever.
const writerVariable = "PULLBACK_TEST_WRITE_MODEL"

// numbered is a file of which every part tells its number.
func numbered(n byte) *File {
	return &File{
		Metadata: fmt.Appendf(nil, "%d", n),
		Tensors:  map[string]Tensor{"weight": {"F32", []int{1 << 18}, bytes.Repeat([]byte{n}, 4<<18)}},
	}
}

func writeVersions(path string) {
	for n := byte(0); ; n++ {
		if err := Write(path, numbered(n)); err != nil {
			log.Fatal(err)
		}
		if n == 0 {
			fmt.Println("begun")
		}
	}
}

// A program is killed while it writes one version after another. Whatever the moment, the
// file is one of the versions.
func TestKilledWhileWriting(t *testing.T) {
	const kills = 50
	path := filepath.Join(t.TempDir(), "model.safetensors")
	random := rand.New(rand.NewPCG(1, 2))
	program, err := os.Executable()
	require.NoError(t, err)
	versions := map[string]bool{}
	for range kills {
		child := exec.Command(program)
		child.Env = append(os.Environ(), writerVariable+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		_, err = out.Read(make([]byte, 1)) // it has begun
		require.NoError(t, err)
		time.Sleep(time.Duration(random.IntN(10_000)) * time.Microsecond)
		require.NoError(t, child.Process.Kill())
		require.Error(t, child.Wait())

		f, err := Read(path, noLimit)
		require.NoError(t, err)
		number := f.Tensors["weight"].Data[0]
		require.Equal(t, numbered(number), f)
		versions[string(f.Metadata)] = true
	}
	require.Greater(t, len(versions), 1)

	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.LessOrEqual(t, len(entries), 1+kills, "a kill leaves one file at most")
	for _, entry := range entries {
		digits, temporary := strings.CutPrefix(entry.Name(), ".model.safetensors")
		if temporary {
			require.Empty(t, strings.Trim(digits, "0123456789"), "the name is as documented")
		} else {
			require.Equal(t, "model.safetensors", entry.Name())
		}
	}
	t.Logf("%d of %d kills were in the middle of a write", len(entries)-1, kills)
}
