package report_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pullback-go/pullback/classifier/report"
)

// Scores and labels alone give a page with the metrics and five pictures.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	err = report.Write(context.Background(), dir, &report.Report{
		Title:  "Six rows",
		Scores: []float64{2.2, 1.1, -0.3, 0.4, -1.5, -2.7}, // logits
		Labels: []float64{1, 1, 1, -1, -1, -1},
		Rows:   "test", Negative: "benign", Positive: "malignant",
	})
	if err != nil {
		log.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Println(f.Name())
	}
	// Output:
	// calibration.png
	// confusion.png
	// precision_recall.png
	// report.html
	// roc.png
	// scores.png
}
