//go:build linux

package simulator

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Phase one of the soft margin loss and its gradient gives the codes of aclnn_status.json.
func TestStatus(t *testing.T) {
	type operand struct {
		DType   string
		Shape   []int
		Strides []int
		Offset  int
	}
	var rows []struct {
		Name, Op                         string
		GradOutput, Self, Target, Output *operand
		Reduction, Code                  int
	}
	content, err := os.ReadFile("testdata/aclnn_status.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &rows))
	require.Greater(t, len(rows), 40)

	argument := func(o *operand) any {
		if o == nil {
			return nil
		}
		v := contiguous(map[string]int{"float32": float, "float16": half, "bfloat16": bfloat, "float64": double}[o.DType], o.Shape)
		if o.Strides != nil {
			v.strides, v.offset = o.Strides, o.Offset
		}
		reach := 0
		for _, at := range v.positions() {
			reach = max(reach, at+1)
		}
		v.storage = make([]float64, reach)
		return v
	}
	var calls []call
	var input strings.Builder
	for _, row := range rows {
		c := call{name: row.Name, op: "aclnnSoftMarginLoss", code: row.Code, args: []any{argument(row.Self), argument(row.Target), row.Reduction, argument(row.Output)}}
		if row.Op == "backward" {
			c.op = "aclnnSoftMarginLossBackward"
			c.args = append([]any{argument(row.GradOutput)}, c.args...)
		}
		calls = append(calls, c)
		input.WriteString(c.line())
	}
	eachVariant(t, func(t *testing.T, v *variant) {
		out, errs, err := v.start(t, v.program(t, "operators.c"), input.String())
		require.NoError(t, err, errs)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		require.Len(t, lines, len(calls))
		for i, c := range calls {
			result, message, _ := strings.Cut(lines[i], "|")
			want := "0,0,0"
			if c.code != 0 {
				want = "161001"
				if c.code == 161002 {
					want = "161002"
				}
				require.Contains(t, message, c.op+": ", c.name)
			}
			require.Equal(t, want, strings.Fields(result)[0], "%s: %s", c.name, message)
		}
	})
}
