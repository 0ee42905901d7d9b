package graph_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

func TestWriteDOT(t *testing.T) {
	s := openSession(t, "cpu")
	f := s.Function(func(g *graph.Graph, in []*graph.Node) []*graph.Node {
		w := g.Parameter("w", typ(device.Float32, 3, 1), nil)
		loss := softmarginloss.Forward(ops.MatMul(in[0], w), in[1], device.Mean)
		ops.Exp(in[0]) // nothing reads it, so it is not drawn
		sgd(0.1, w, graph.Gradients(loss, w)[0])
		return []*graph.Node{loss}
	})
	g, err := f.Trace(typ(device.Float32, 5, 3), typ(device.Float32, 5, 1))
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, g.WriteDOT(&b))
	for _, want := range []string{"digraph", "MatMul{TransposeSelf:true TransposeOther:false}", "SoftMarginLoss{Reduction:mean}", "SoftMarginLossBackward", "w\\nfloat32[3,1]", "input 0\\nfloat32[5,3]", "SGD", "dot_test.go:"} {
		require.Contains(t, b.String(), want)
	}
	require.NotContains(t, b.String(), "Exp")
	if graphviz, err := exec.LookPath("dot"); err == nil {
		file := t.TempDir() + "/graph.dot"
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
		out, err := exec.Command(graphviz, "-Tsvg", file).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "</svg>")
	}
}
