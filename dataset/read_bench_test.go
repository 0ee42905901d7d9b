package dataset_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/dataset"
)

// bigCSV returns rows of 28 random features and a label.
func bigCSV(rows int) []byte {
	var b []byte
	rng := rand.New(rand.NewPCG(1, 2))
	for j := range 28 {
		b = append(b, "f"+strconv.Itoa(j)+","...)
	}
	b = append(b, "y\n"...)
	for i := range rows {
		for range 28 {
			b = strconv.AppendFloat(b, float64(float32(rng.NormFloat64())), 'g', -1, 32)
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(i&1), 10)
		b = append(b, '\n')
	}
	return b
}

func BenchmarkReadAndEncode(b *testing.B) {
	text := bigCSV(200_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		frame, err := dataset.ReadFrame(bytes.NewReader(text), "big.csv", dataset.Options{})
		require.NoError(b, err)
		train, _, test, err := frame.Split(0, 0.2, 1)
		require.NoError(b, err)
		encoder, err := dataset.FitEncoder(train, dataset.EncoderOptions{})
		require.NoError(b, err)
		for _, part := range []*dataset.Frame{train, test} {
			_, err = encoder.Transform(part)
			require.NoError(b, err)
		}
	}
}
