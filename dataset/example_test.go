package dataset_test

import (
	"fmt"
	"log"
	"strings"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/dataset"
)

// From a table to standardised mini-batches. The scaler is fitted on the
// training rows and then applied to both parts.
func Example() {
	train, test, err := dataset.BreastCancer().Split(0.2, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(train.Rows(), "rows to train on,", test.Rows(), "to test with")

	scaler, err := dataset.FitScaler(train)
	if err != nil {
		log.Fatal(err)
	}
	if train, err = scaler.Apply(train); err != nil {
		log.Fatal(err)
	}
	if test, err = scaler.Apply(test); err != nil {
		log.Fatal(err)
	}

	batches, err := dataset.NewBatches(train, 200, 1, tensor.Float32)
	if err != nil {
		log.Fatal(err)
	}
	for epoch := range 2 {
		batches.Shuffle(epoch)
		for i := range batches.Len() {
			x, y := batches.At(i)
			fmt.Println("epoch", epoch, "batch", i, "x", x.Shape(), "y", y.Shape())
		}
	}
	// Output:
	// 456 rows to train on, 113 to test with
	// epoch 0 batch 0 x (200, 30) y (200, 1)
	// epoch 0 batch 1 x (200, 30) y (200, 1)
	// epoch 0 batch 2 x (56, 30) y (56, 1)
	// epoch 1 batch 0 x (200, 30) y (200, 1)
	// epoch 1 batch 1 x (200, 30) y (200, 1)
	// epoch 1 batch 2 x (56, 30) y (56, 1)
}

func ExampleReadCSV() {
	const text = `radius,texture,diagnosis
17.99,10.38,malignant
13.54,14.36,benign
`
	table, err := dataset.ReadCSV(strings.NewReader(text), "cells.csv", dataset.CSVOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(table.Features, table.Row(0), table.Y[0], table.Positive)
	// Output: [radius texture] [17.99 10.38] 1 malignant
}

func ExampleParseError() {
	const text = `radius,texture,diagnosis
17.99,10.38,malignant
13.54,n/a,benign
`
	_, err := dataset.ReadCSV(strings.NewReader(text), "cells.csv", dataset.CSVOptions{})
	fmt.Println(err)
	// Output: cells.csv:3: column "texture": "n/a" is not a number, and every feature must be one; remove the column, or replace its values by numbers
}
