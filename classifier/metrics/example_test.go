package metrics_test

import (
	"fmt"
	"log"

	"github.com/pullback-go/pullback/classifier/metrics"
)

func ExampleSummarize() {
	scores := []float64{2.2, 1.1, -0.3, 0.4, -1.5, -2.7} // logits
	labels := []float64{1, 1, 1, -1, -1, -1}
	s, err := metrics.Summarize(scores, labels, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", s.Confusion)
	fmt.Printf("accuracy %.3f, AUC %.3f, average precision %.3f\n", s.Accuracy, s.AUC, s.AveragePrecision)
	fmt.Printf("F1 is %.3f, and at most %.3f, from a score of %v on\n", s.F1, s.MaxF1, s.F1Threshold)
	// Output:
	// {TP:2 FP:1 TN:2 FN:1}
	// accuracy 0.667, AUC 0.889, average precision 0.917
	// F1 is 0.667, and at most 0.857, from a score of -0.3 on
}

func ExampleRank() {
	r, err := metrics.Rank([]float64{0.1, 0.4, 0.35, 0.8}, []float64{-1, -1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range r.ROC() {
		fmt.Println(p.Threshold, p.FPR, p.TPR)
	}
	fmt.Println("area", r.AUC())
	// Output:
	// +Inf 0 0
	// 0.8 0 0.5
	// 0.4 0.5 0.5
	// 0.35 0.5 1
	// 0.1 1 1
	// area 0.75
}
