// Package onnxtest runs ONNX models of classifiers in gonnx, a runtime in Go that knows nothing of what
// wrote them, so that tests can compare its numbers.
package onnxtest

import (
	"math"
	"testing"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

// Output is what a model gives, a value a row.
type Output struct {
	Scores, Probabilities []float32
	Positive              []bool
}

// Run returns what the model gives for n rows, row-major.
func Run(t testing.TB, file []byte, rows []float64, n int) Output {
	t.Helper()
	model, err := gonnx.NewModelFromBytes(file)
	require.NoError(t, err)
	get := model.GetOperator
	model.GetOperator = func(name string) (ops.Operator, error) {
		if name == "IsNaN" || name == "Where" { // which gonnx does not have
			return elementwise(name), nil
		}
		return get(name)
	}
	out, err := model.Run(gonnx.Tensors{
		"features": tensor.New(tensor.WithShape(n, len(rows)/n), tensor.WithBacking(rows)),
	})
	require.NoError(t, err)
	for _, name := range []string{"score", "probability", "positive"} {
		require.Equal(t, tensor.Shape{n, 1}, out[name].Shape(), name)
	}
	return Output{out["score"].Data().([]float32), out["probability"].Data().([]float32), out["positive"].Data().([]bool)}
}

// elementwise is the operator IsNaN or Where, on doubles, where all that is broadcast is a row.
type elementwise string

func (elementwise) Init(*pb.NodeProto) error { return nil }
func (elementwise) ValidateInputs(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	return inputs, nil
}
func (elementwise) GetMinInputs() int                         { return 1 }
func (elementwise) GetMaxInputs() int                         { return 3 }
func (elementwise) GetInputTypeConstraints() [][]tensor.Dtype { return nil }
func (e elementwise) String() string                          { return string(e) }
func (e elementwise) Apply(inputs []tensor.Tensor) ([]tensor.Tensor, error) {
	shape := tensor.WithShape(inputs[0].Shape()...)
	if e == "IsNaN" {
		var out []bool
		for _, v := range inputs[0].Data().([]float64) {
			out = append(out, math.IsNaN(v))
		}
		return []tensor.Tensor{tensor.New(shape, tensor.WithBacking(out))}, nil
	}
	row, other := inputs[1].Data().([]float64), inputs[2].Data().([]float64)
	var out []float64
	for i, yes := range inputs[0].Data().([]bool) {
		if yes {
			out = append(out, row[i%len(row)])
		} else {
			out = append(out, other[i])
		}
	}
	return []tensor.Tensor{tensor.New(shape, tensor.WithBacking(out))}, nil
}
