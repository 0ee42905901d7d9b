package dataset_test

import (
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
)

const patients = `id;age;smoker;pulse;ill
101;50;yes;70;no
102;60;no;;no
103;70;no;90;yes
104;40;?;80;no
105;80;yes;75;yes
`

// A file as it comes: semicolons, an identifier, a category, missing values.
func ExampleReadFrame() {
	frame, err := dataset.ReadFrame(strings.NewReader(patients), "patients.csv", dataset.Options{Drop: []string{"id"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(frame.Schema())
	// Output:
	// patients.csv: CSV separated by semicolons, with a header; 5 rows, 3 features
	// ill: 2 yes (+1), 3 no (-1)
	// numbers without gaps: age
	// "smoker": categorical, 2 different: "no" and "yes", missing in 1 row
	// "pulse": numeric, 70 to 90, missing in 1 row
	// "id": dropped
}

// From a frame to mini-batches. The encoder is fitted on the training rows and
// then applied to all parts.
func ExampleFitEncoder() {
	frame, err := dataset.OpenFrame("testdata/heart.csv", dataset.Options{Label: "HeartDisease"})
	if err != nil {
		log.Fatal(err)
	}
	train, _, test, err := frame.Split(0, 0.25, 1)
	if err != nil {
		log.Fatal(err)
	}
	encoder, err := dataset.FitEncoder(train, dataset.EncoderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	matrix, err := encoder.Transform(train)
	if err != nil {
		log.Fatal(err)
	}
	batches, err := matrix.Batches(8, 1, tensor.Float32)
	if err != nil {
		log.Fatal(err)
	}
	batches.Shuffle(0)
	for i := range batches.Len() {
		x, y := batches.At(i)
		fmt.Println("x", x.Shape(), "y", y.Shape())
	}
	matrix, err = encoder.Transform(test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(matrix.Rows(), "rows to test with")
	// Output:
	// x (8, 17) y (8, 1)
	// x (8, 17) y (8, 1)
	// x (2, 17) y (2, 1)
	// 6 rows to test with
}

// An encoder is plain data, which can be kept and used again.
func ExampleEncoder() {
	frame, err := dataset.ReadFrame(strings.NewReader(patients), "patients.csv", dataset.Options{Drop: []string{"id"}})
	if err != nil {
		log.Fatal(err)
	}
	encoder, err := dataset.FitEncoder(frame, dataset.EncoderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	data, err := json.Marshal(encoder)
	if err != nil {
		log.Fatal(err)
	}

	var kept dataset.Encoder
	if err := json.Unmarshal(data, &kept); err != nil {
		log.Fatal(err)
	}
	if err := kept.Validate(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(kept.Features())
	fmt.Printf("age: (x - %v)/%.2f\n", kept.Columns[0].Mean, kept.Columns[0].Scale)
	// Output:
	// [age smoker=no smoker=yes pulse]
	// age: (x - 60)/14.14
}

// New rows are encoded as they are read. Columns are found by name, and the label
// may be absent.
func ExampleEncoder_Stream() {
	frame, err := dataset.ReadFrame(strings.NewReader(patients), "patients.csv", dataset.Options{Drop: []string{"id"}})
	if err != nil {
		log.Fatal(err)
	}
	encoder, err := dataset.FitEncoder(frame, dataset.EncoderOptions{})
	if err != nil {
		log.Fatal(err)
	}
	const text = "smoker,age,pulse\nno,60,78.5\nsometimes,60,78.5\n"
	for matrix, err := range encoder.Stream(strings.NewReader(text), "new.csv", dataset.Options{}, 1000) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(matrix.X, matrix.Warnings)
	}
	// Output: [0 1 0 0 0 0 0 0] [column "smoker" has a category that the training rows had not, such as "sometimes", in 1 row; it is encoded as none of them]
}

// Cross-validation: every row is tested with once.
func ExampleFrame_KFold() {
	frame, err := dataset.Toy("moons", 100, 0.1, 1)
	if err != nil {
		log.Fatal(err)
	}
	folds, err := frame.KFold(3, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, fold := range folds {
		fmt.Println(fold.Train.Rows(), fold.Test.Rows())
	}
	// Output:
	// 66 34
	// 67 33
	// 67 33
}

// Rows that a program has in memory make a frame too.
func ExampleNewFrame() {
	frame := dataset.NewFrame("orders")
	if err := frame.AddNumeric("total", []float64{10, 250, 30}); err != nil {
		log.Fatal(err)
	}
	if err := frame.AddCategorical("country", []string{"NO", "PT", ""}); err != nil {
		log.Fatal(err)
	}
	if err := frame.SetLabels("returned", []string{"false", "true", "false"}, ""); err != nil {
		log.Fatal(err)
	}
	fmt.Println(frame.Rows(), frame.Names(), frame.Labels())
	// Output: 3 [total country] [-1 1 -1]
}

func ExampleBalancedWeights() {
	negative, positive, err := dataset.BalancedWeights([]float64{-1, -1, -1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f %.3f\n", negative, positive)
	// Output: 0.667 2.000
}

func ExampleParseError() {
	const text = `radius,texture,diagnosis
17.99,10.38,malignant
13.54,Inf,benign
`
	_, err := dataset.ReadFrame(strings.NewReader(text), "cells.csv", dataset.Options{})
	fmt.Println(err)
	// Output: cells.csv:3: column "texture": "Inf" is not a finite number; mend it, or leave it empty if it is not known
}
