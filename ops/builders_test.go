package ops_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/graph/gradcheck"
	"github.com/pullback-go/pullback/ops"
)

func openDevice(t *testing.T) device.Device {
	dev, err := device.Open("cpu?threads=1")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

func newSession(t *testing.T) *graph.Session {
	s, err := graph.NewSession(openDevice(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func dense(in []array) []*tensor.Dense {
	list := make([]*tensor.Dense, len(in))
	for i, a := range in {
		list[i] = a.dense()
	}
	return list
}

// run runs a model on float64 inputs and returns its outputs, also float64.
func run(t *testing.T, s *graph.Session, model graph.Model, inputs ...array) []array {
	outputs, err := s.Function(model).Run(dense(inputs)...)
	require.NoError(t, err)
	list := make([]array, len(outputs))
	for i, o := range outputs {
		list[i] = array{o.Shape(), o.Float64s()}
	}
	return list
}

// checkedOf returns the nodes of the inputs that the case differentiates.
func (c builderCase) checkedOf(in []*graph.Node) []*graph.Node {
	if c.checked == nil {
		return in
	}
	var list []*graph.Node
	for _, i := range c.checked {
		list = append(list, in[i])
	}
	return list
}

func TestValues(t *testing.T) {
	s := newSession(t)
	for _, c := range cases() {
		got := run(t, s, func(_ *graph.Graph, in []*graph.Node) []*graph.Node { return []*graph.Node{c.build(in)} }, c.inputs...)
		require.Empty(t, closeTo(got[0], c.want(c.inputs), 1e-14), c.name)
	}
}

func TestFirstAndSecondDerivatives(t *testing.T) {
	dev := openDevice(t)
	for _, c := range cases() {
		report, err := gradcheck.Check(dev, func(_ *graph.Graph, in []*graph.Node) *graph.Node { return c.build(in) }, dense(c.inputs),
			gradcheck.Options{Inputs: c.checked})
		require.NoError(t, err, c.name)
		require.NoError(t, report.Err(), c.name)
	}
}

// TestThirdDerivatives checks the first and second derivatives of a gradient.
func TestThirdDerivatives(t *testing.T) {
	dev := openDevice(t)
	for _, c := range cases() {
		if c.builder() == "Sign" {
			continue // its gradient is 0, computed from nothing
		}
		report, err := gradcheck.Check(dev, func(_ *graph.Graph, in []*graph.Node) *graph.Node {
			y := c.build(in)
			return graph.Gradients(ops.Sum(ops.Mul(y, ops.Square(y))), c.checkedOf(in)[0])[0]
		}, dense(c.inputs), gradcheck.Options{Inputs: c.checked, Tolerance: 1e-7}) // y³ has small slopes with large curvature
		require.NoError(t, err, c.name)
		require.NoError(t, report.Err(), c.name)
	}
}

// TestEveryBuilderHasACase finds the builders in the source.
func TestEveryBuilderHasACase(t *testing.T) {
	var exported []string
	for pattern, prefix := range map[string]string{"*.go": "", "softmarginloss/*.go": "softmarginloss."} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			require.NoError(t, err)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && f.Recv == nil && returnsNode(f) {
					exported = append(exported, prefix+f.Name.Name)
				}
			}
		}
	}
	slices.Sort(exported)
	var tested []string
	for _, c := range cases() {
		if name := c.builder(); name != "" {
			tested = append(tested, name)
		}
	}
	slices.Sort(tested)
	require.NotEmpty(t, exported)
	require.Equal(t, exported, slices.Compact(tested))
}

func returnsNode(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	pointer, ok := f.Type.Results.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := pointer.X.(*ast.SelectorExpr)
	return ok && name.Sel.Name == "Node"
}
