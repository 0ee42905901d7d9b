package metrics_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pullback-go/pullback/classifier/metrics"
)

func BenchmarkSummarize(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	scores, labels := make([]float64, 200_000), make([]float64, 200_000)
	for i := range scores {
		labels[i] = float64(2*random.IntN(2) - 1)
		scores[i] = random.NormFloat64() + labels[i]
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if _, err := metrics.Summarize(scores, labels, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("AUC", func(b *testing.B) {
		for b.Loop() {
			r, err := metrics.Rank(scores, labels)
			if err != nil {
				b.Fatal(err)
			}
			r.AUC()
		}
	})
}
