package metrics_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier/metrics"
)

func TestErrors(t *testing.T) {
	calls := map[string]func(values, labels []float64) error{
		"Rank":      func(v, y []float64) error { _, err := metrics.Rank(v, y); return err },
		"Confuse":   func(v, y []float64) error { _, err := metrics.Confuse(v, y, 0); return err },
		"Summarize": func(v, y []float64) error { _, err := metrics.Summarize(v, y, 0); return err },
		"LogLoss":   func(v, y []float64) error { _, err := metrics.LogLoss(v, y); return err },
		"Brier":     func(v, y []float64) error { _, err := metrics.Brier(v, y); return err },
		"Calibrate": func(v, y []float64) error { _, err := metrics.Calibrate(v, y, 5, metrics.Uniform); return err },
	}
	for name, call := range calls {
		require.NoError(t, call([]float64{0, 1}, []float64{-1, 1}), name)
		for _, c := range []struct {
			values, labels []float64
			want           string
		}{
			{nil, nil, "no rows"},
			{[]float64{1}, []float64{1, -1}, "1 values and 2 labels"},
			{[]float64{0, nan}, []float64{-1, 1}, "row 1 (from 0) is NaN"},
			{[]float64{0, 1}, []float64{-1, 0}, "label of row 1 (from 0) is 0"},
			{[]float64{0, 1}, []float64{nan, 1}, "label of row 0 (from 0) is NaN"},
		} {
			require.ErrorContains(t, call(c.values, c.labels), c.want, name)
		}
		if name == "LogLoss" || name == "Brier" || name == "Calibrate" {
			for _, p := range []float64{-0.1, 1.1, inf} {
				require.ErrorContains(t, call([]float64{p}, []float64{1}), "must be from 0 to 1", name)
			}
		} else {
			require.NoError(t, call([]float64{inf, -inf}, []float64{1, -1}), name)
		}
	}
	_, err := metrics.Calibrate([]float64{1}, []float64{1}, 0, metrics.Uniform)
	require.ErrorContains(t, err, "0 bins")
	_, err = metrics.Calibrate([]float64{1}, []float64{1}, 3, metrics.Binning(7))
	require.ErrorContains(t, err, "no binning 7")
	_, err = metrics.Summarize([]float64{1}, []float64{1}, nan)
	require.ErrorContains(t, err, "threshold is NaN")
}

// The best thresholds of the labels' absent classes, and of ties.
func TestBestThresholds(t *testing.T) {
	for name, c := range map[string]struct {
		scores, labels              []float64
		f1Threshold, f1, jThreshold float64
		j                           float64
	}{
		// At 4: P=1, R=1/2, F1=2/3. At 1: P=1/2, R=1, F1=2/3 again. The highest is taken.
		"equally good":  {[]float64{4, 3, 2, 1}, []float64{1, -1, -1, 1}, 4, 2. / 3, 4, 0.5},
		"all equal":     {[]float64{7, 7, 7}, []float64{1, -1, -1}, 7, 0.5, 7, 0},
		"perfect":       {[]float64{1, 2, 3}, []float64{-1, 1, 1}, 2, 1, 2, 1},
		"all wrong":     {[]float64{1, 2}, []float64{1, -1}, 1, 2. / 3, 1, 0},
		"only positive": {[]float64{1, 2}, []float64{1, 1}, 1, 1, nan, nan},
		"only negative": {[]float64{1, 2}, []float64{-1, -1}, nan, 0, nan, nan},
		"infinite":      {[]float64{-inf, inf}, []float64{-1, 1}, inf, 1, inf, 1},
	} {
		r, err := metrics.Rank(c.scores, c.labels)
		require.NoError(t, err)
		threshold, f1 := r.BestF1()
		near(t, c.f1Threshold, threshold, name+": threshold of F1")
		near(t, c.f1, f1, name+": F1")
		threshold, j := r.BestYouden()
		near(t, c.jThreshold, threshold, name+": threshold of J")
		near(t, c.j, j, name+": J")
	}
}

func TestSummaryJSON(t *testing.T) {
	for name, c := range map[string]struct{ scores, labels []float64 }{
		"both classes":   {[]float64{3, 2, -1, 1}, []float64{1, -1, -1, 1}},
		"one class":      {[]float64{3, 2}, []float64{-1, -1}},
		"infinite score": {[]float64{inf, 2}, []float64{1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := metrics.Summarize(c.scores, c.labels, 0)
			require.NoError(t, err)
			data, err := json.Marshal(s)
			require.NoError(t, err)
			var back metrics.Summary
			require.NoError(t, json.Unmarshal(data, &back))

			// Field by field, so that one that is not written is noticed.
			want, got := reflect.ValueOf(*s), reflect.ValueOf(back)
			for i := range want.NumField() {
				field := want.Type().Field(i).Name
				if want.Field(i).Kind() != reflect.Float64 {
					require.Equal(t, want.Field(i).Interface(), got.Field(i).Interface(), field)
				} else if v := want.Field(i).Float(); math.IsInf(v, 0) || math.IsNaN(v) {
					require.True(t, math.IsNaN(got.Field(i).Float()), field)
				} else {
					require.Equal(t, v, got.Field(i).Float(), field)
				}
			}
			again, err := json.Marshal(back)
			require.NoError(t, err)
			require.Equal(t, string(data), string(again))

			var generic map[string]any
			require.NoError(t, json.Unmarshal(data, &generic))
			require.Len(t, generic, want.NumField())
		})
	}
	var s metrics.Summary
	require.NoError(t, json.Unmarshal([]byte(`{"rows": 3}`), &s))
	require.Equal(t, 3, s.Rows)
	require.True(t, math.IsNaN(s.AUC), "a measure that is missing is not 0")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"auc": "high"}`), &s), `"auc"`)
}
