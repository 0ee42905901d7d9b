package report

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"
)

// number draws numbers of all sizes that a picture may have to show.
func number() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-largest, largest),
		rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, 1, math.Nextafter(1, 2), 1e100, -1e100, 1e-300, 5e-324, 1e9, 1e9 + 1}),
	)
}

func TestTicks(t *testing.T) {
	labels := func(low, high float64) (all []string) {
		for _, tick := range ticks(low, high) {
			all = append(all, tick.Label)
		}
		return all
	}
	require.Equal(t, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}, labels(0, 1))
	require.Equal(t, []string{"-20", "-10", "0", "10"}, labels(-21, 19.9))
	require.Equal(t, []string{"5", "10", "15", "20", "25", "30"}, labels(1, 30))

	rapid.Check(t, func(t *rapid.T) {
		a, b := number().Draw(t, "a"), number().Draw(t, "b")
		low, high := widen(min(a, b), max(a, b))
		require.Less(t, low, high)
		require.LessOrEqual(t, low, min(a, b)+1e-99)
		require.GreaterOrEqual(t, high, max(a, b)-1e-99)
		marks := ticks(low, high)
		require.GreaterOrEqual(t, len(marks), 2, "%v to %v", low, high)
		require.LessOrEqual(t, len(marks), 8, "%v to %v", low, high)
		slack := (high - low) * 1e-6
		for i, m := range marks {
			require.True(t, low-slack <= m.Value && m.Value <= high+slack, "%v in %v to %v", m.Value, low, high)
			if i > 0 {
				require.Greater(t, m.Value, marks[i-1].Value)
			}
		}
	})
	for _, tick := range wholeTicks(1, 3) {
		require.Equal(t, math.Round(tick.Value), tick.Value)
	}
	low, high := widen(math.Inf(1), math.Inf(-1))
	require.Equal(t, [2]float64{0, 1}, [2]float64{low, high}, "nothing to show")
}

// What thin leaves out is not farther from what it keeps than its resolution.
func TestThin(t *testing.T) {
	var xys plotter.XYs
	for i := range 100_000 {
		x := float64(i) / 99_999
		xys = append(xys, plotter.XY{X: x, Y: math.Sqrt(x)})
	}
	kept := thin(xys, 1, 1)
	require.Less(t, len(kept), 5000)
	require.Equal(t, xys[0], kept[0])
	require.Equal(t, xys[len(xys)-1], kept[len(kept)-1])
	next := 0
	for _, p := range xys {
		if next < len(kept) && kept[next] == p {
			next++
		}
		last := kept[next-1]
		require.True(t, math.Abs(last.X-p.X) < 1./2000 && math.Abs(last.Y-p.Y) < 1./2000)
	}
	require.Equal(t, len(kept), next, "what is kept are points, in their order")
	require.Empty(t, thin(nil, 1, 1))
	require.Len(t, thin(xys[:1], 1, 1), 1)
}

func TestClip(t *testing.T) {
	for in, want := range map[string]string{
		"short":                 "short",
		"exactly ten":           "exactly t…",
		"ten runes!":            "ten runes!",
		"two\nlines":            "two lines",
		"a\u202eb\x00c":         "ab c",
		"\xff":                  "�",
		strings.Repeat("é", 11): strings.Repeat("é", 9) + "…",
	} {
		got := clip(in, 10)
		require.Equal(t, want, got)
		require.True(t, utf8.ValidString(got))
	}
}

// What the font has is drawn as it is, and a name with anything else by its stand-in.
func TestName(t *testing.T) {
	for name, drawn := range map[string]bool{
		"": true, "aé … µ−€ Ж□ λ": true, "tab\tand\nline": true, "e\u0301": true,
		"日本": false, "عرب": false, "שלום": false, "हिन्दी": false, "a 😀": false, "\xff": false,
		"only the end is clipped 日本": true,
	} {
		f := newFigure("", "", "")
		want := clip(name, 24)
		if !drawn {
			want = "stand-in"
		}
		require.Equal(t, want, f.name(name, 24, "stand-in"), "%q", name)
		require.Equal(t, !drawn, len(f.standIns) == 1, "%q", name)
	}
}

// What is rounding beside the largest finite value is 0.
func TestRanked(t *testing.T) {
	inf := math.Inf(1)
	require.Equal(t, []feature{{"c", -2, 3}, {"a", 1, 1}, {"e", 3e-12, 5}, {"b", 0, 2}, {"d", 0, 4}},
		(&Importance{Names: []string{"a", "b", "c", "d", "e"}, Values: []float64{1, 2.77556e-17, -2, -1e-12, 3e-12}}).ranked())
	require.Equal(t, []feature{{"a", inf, 1}, {"b", 1, 2}}, (&Importance{Names: []string{"a", "b"}, Values: []float64{inf, 1}}).ranked())
	for v, want := range map[float64]string{
		2.77556e-17: "0.0000", -2.77556e-17: "0.0000", 0: "0.0000", 1e-9: "1e-09", 0.00012345678: "0.0001235", 0.25: "0.2500", -0.5: "-0.5000", 1234567: "1.235e+06",
	} {
		require.Equal(t, want, decimal(v))
	}
	require.Equal(t, "undefined", decimal(math.NaN()))
	require.Equal(t, "0.1235", short(0.12345678))
}

// The line of the threshold: on scores that are linear, linear interpolation is exact.
func TestCrossings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-2, 2).Draw(t, "a"), rapid.Float64Range(-2, 2).Draw(t, "b")
		g := &plane{threshold: rapid.Float64Range(-100, 100).Draw(t, "threshold")}
		score := func(column, row float64) float64 { return a*column + b*row }
		above := 0
		for row := range gridSide {
			for column := range gridSide {
				g.scores = append(g.scores, score(float64(column), float64(row)))
				if g.scores[len(g.scores)-1] >= g.threshold {
					above++
				}
			}
		}
		segments := 0
		for row := range gridSide - 1 {
			for column := range gridSide - 1 {
				for _, s := range g.crossings(column, row) {
					segments++
					for _, end := range s {
						if math.Abs(score(end[0], end[1])-g.threshold) > 1e-9 || math.Floor(end[0]) < float64(column) || math.Ceil(end[0]) > float64(column+1) ||
							math.Floor(end[1]) < float64(row) || math.Ceil(end[1]) > float64(row+1) {
							t.Fatalf("the line passes through %v in the cell at (%d, %d)", end, column, row)
						}
					}
				}
			}
		}
		require.Equal(t, above > 0 && above < len(g.scores), segments > 0)
	})

	// A saddle, whose corners are joined by their mean; and corners that are infinite.
	for name, c := range map[string]struct {
		corners [4]float64 // (0,0), (1,0), (1,1), (0,1)
		want    [][2][2]float64
	}{
		"saddle, mean above": {[4]float64{3, -1, 3, -1}, [][2][2]float64{{{0.75, 0}, {1, 0.25}}, {{0.25, 1}, {0, 0.75}}}},
		"saddle, mean below": {[4]float64{1, -3, 1, -3}, [][2][2]float64{{{0, 0.25}, {0.25, 0}}, {{1, 0.75}, {0.75, 1}}}},
		"infinite":           {[4]float64{math.Inf(1), math.Inf(-1), math.Inf(-1), math.Inf(1)}, [][2][2]float64{{{0.5, 0}, {0.5, 1}}}},
	} {
		g := &plane{scores: make([]float64, gridSide*gridSide)}
		g.scores[0], g.scores[1], g.scores[gridSide+1], g.scores[gridSide] = c.corners[0], c.corners[1], c.corners[2], c.corners[3]
		require.Equal(t, c.want, g.crossings(0, 0), name)
	}
}

func TestFiniteParts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	require.Equal(t, []plotter.XYs{{{X: 2, Y: 5}, {X: 3, Y: 4}}, {{X: 5, Y: 1}}}, finiteParts([]float64{nan, 5, 4, inf, 1, -inf}))
	require.Empty(t, finiteParts([]float64{nan, 1e200}))
	require.Empty(t, finiteParts(nil))
}
