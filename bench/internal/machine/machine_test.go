package machine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDescribe(t *testing.T) {
	m := Describe()
	require.NotEmpty(t, m.CPU)
	require.Equal(t, runtime.NumCPU(), m.Cores)
	require.Equal(t, runtime.Version(), m.Go)
	require.NotEmpty(t, m.SIMD)
	require.Positive(t, m.LastLevelCache())
	data, err := json.Marshal(m)
	require.NoError(t, err)
	var back Machine
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, m, back)
}

func TestCaches(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"index0/level": "1\n", "index0/type": "Data\n", "index0/size": "48K\n",
		"index1/level": "3\n", "index1/type": "Unified\n", "index1/size": "32M\n",
		"index2/level": "x\n", "index2/type": "Unified\n", "index2/size": "1\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	require.Equal(t, []Cache{{1, "Data", 48 << 10}, {3, "Unified", 32 << 20}}, caches(dir))
	require.Equal(t, 32<<20, Machine{Caches: caches(dir)}.LastLevelCache())
	require.Zero(t, parseSize("many"))
}

// TestMemory: the loops whose speed is taken do what they are named after.
func TestMemory(t *testing.T) {
	m := NewMemory(1<<10, 3)
	m.speed(3, 3, addPart)
	for i := range m.a {
		require.Equal(t, m.b[i]+m.c[i], m.a[i])
	}
	m.speed(2, 2, copyPart)
	require.Equal(t, m.b, m.a)
	var to Machine
	m.Measure(&to, 1)
	for _, speed := range []float64{to.CopyOne, to.CopyAll, to.AddOne, to.AddAll} {
		require.Positive(t, speed)
	}
}
