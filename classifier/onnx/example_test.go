package onnx_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/advancedclimatesystems/gonnx"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/classifier/onnx"
)

// A logistic regression on two features is written and run in another runtime.
func ExampleWrite() {
	m := &onnx.Model{
		Features: []string{"age", "income"},
		Mean:     []float64{40, 30_000},
		Scale:    []float64{10, 15_000},
		Layers:   []onnx.Layer{{In: 2, Out: 1, Weight: []float32{1, -2}, Bias: []float32{0.5}}},
		Negative: "repaid", Positive: "default", Threshold: 0,
		Producer: "example",
	}
	var file bytes.Buffer
	if err := onnx.Write(&file, m); err != nil {
		log.Fatal(err)
	}

	model, err := gonnx.NewModelFromBytes(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	rows := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{50, 15_000, 30, 60_000}))
	out, err := model.Run(gonnx.Tensors{"features": rows})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out["score"].Data())
	fmt.Printf("%.4f\n", out["probability"].Data())
	fmt.Println(out["positive"].Data())
	// Output:
	// [3.5 -4.5]
	// [0.9707 0.0110]
	// [true false]
}
