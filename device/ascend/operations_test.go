package ascend

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/ascend/simulator"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/device/devicetest"
)

var updateTable = flag.Bool("update", false, "write docs/operations.md anew")

// TestOperationsTable holds docs/operations.md to what the devices say.
func TestOperationsTable(t *testing.T) {
	if _, err := simulator.Build(context.Background()); runtime.GOOS != "linux" || errors.Is(err, simulator.ErrNoCompiler) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	var ops []string
	dtypes := map[string]map[string][]string{} // by operation and device
	operators := map[string][]string{}
	names := []string{"cpu", "ascend:sim", "ascend:sim?fallback=cpu"}
	for _, name := range names {
		dev, err := device.Open(name)
		require.NoError(t, err)
		require.NoError(t, devicetest.EachSupport(dev, func(s devicetest.Support) {
			if dtypes[s.Op] == nil {
				dtypes[s.Op] = map[string][]string{}
				ops = append(ops, s.Op)
			}
			if s.Err == nil && !slices.Contains(dtypes[s.Op][name], s.DType.String()) {
				dtypes[s.Op][name] = append(dtypes[s.Op][name], s.DType.String())
			}
			if e, ok := s.Executor.(*executor); ok && s.DType == device.Float32 && operators[s.Op] == nil {
				for _, c := range e.calls {
					operators[s.Op] = append(operators[s.Op], strings.TrimPrefix(c.operator.Name(), "aclnn"))
				}
			}
		}))
		require.NoError(t, dev.Close())
	}
	slices.Sort(ops)
	var b strings.Builder
	b.WriteString(header)
	for _, op := range ops {
		if op == (devicetest.Hypotenuse{}).Name() {
			continue
		}
		fmt.Fprintf(&b, "| %s |%s |%s |\n", op, row(dtypes[op], names), list(operators[op]))
	}
	fmt.Fprintf(&b, "| your own, see `device.Custom` |%s | |\n", row(dtypes[(devicetest.Hypotenuse{}).Name()], names))

	const path = "../../docs/operations.md"
	if *updateTable {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o666))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(have), b.String(), "docs/operations.md is not what the devices say; run go test ./device/ascend -run OperationsTable -update")
}

const header = `# Operations by device and dtype

This table is made by a test that asks the devices (` + "`go test ./device/ascend -run OperationsTable -update`" + `). 32, 16, b16 and 64 stand for
float32, float16, bfloat16 and float64; an NPU may have no bfloat16. The last column is the sequence of aclnn operators that an
operation in float32, with its options on, is on an NPU; mixed dtypes add casts.

| operation | cpu | ascend | ascend with fallback=cpu | aclnn operators |
|---|---|---|---|---|
`

func row(dtypes map[string][]string, names []string) string {
	var cells []string
	for _, name := range names {
		short := strings.NewReplacer("bfloat", "b", "float", "").Replace(strings.Join(dtypes[name], " "))
		if short == "" {
			short = "–"
		}
		cells = append(cells, " "+short)
	}
	return strings.Join(cells, " |")
}

func list(operators []string) string {
	if len(operators) == 0 {
		return ""
	}
	return " " + strings.Join(operators, ", ")
}
