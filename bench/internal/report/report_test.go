package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/bench/internal/machine"
	"github.com/pullback-go/pullback/bench/internal/measure"
	"github.com/pullback-go/pullback/bench/internal/report"
	"github.com/pullback-go/pullback/device"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// result has samples around a median of ns, off by the share on either side.
func result(device string, p measure.Point, ns, off float64) *measure.Result {
	return &measure.Result{Point: p, Device: device, Traffic: 8 * float64(p.N), MaxULP: 0.5,
		Samples: []float64{ns * (1 - 2*off), ns * (1 - off), ns, ns * (1 + off), ns * (1 + 2*off)}}
}

var point = measure.Point{Op: measure.Backward, DType: device.Float32, Reduction: "mean", Layout: "contiguous", N: 1000}

// TestSpeed: devices are ranked only as far as the samples tell them apart.
func TestSpeed(t *testing.T) {
	first := result("cpu", point, 1000, 0.05)
	for _, c := range []struct {
		other *measure.Result
		want  string
	}{
		{first, "1"},
		{result("b", point, 500, 0.05), "2.00"},
		{result("b", point, 250000, 0.05), "0.00400"},
		{result("b", point, 1020, 0.05), "≈"},
		{result("b", point, 960, 0.01), "≈"},
		{result("b", point, 1099, 0.05), "≈"},
		{result("b", point, 1200, 0.05), "0.833"},
		{result("b", point, 940, 0.001), "1.06"},
		{result("b", point, 1200, 0.3), "≈"},
		{&measure.Result{Samples: []float64{500, 600, 900, 945, 946}}, "1.11"}, // the middle halves do not meet, however wide they are
		{&measure.Result{Samples: []float64{1040, 1045, 1500, 1600, 1700}}, "≈"},
		{&measure.Result{Samples: []float64{1100}}, "≈"},
		{&measure.Result{Samples: []float64{2000}}, "0.500"},
	} {
		require.Equal(t, c.want, report.Speed(c.other, first))
		if c.other != first {
			require.Equal(t, c.want == "≈", report.Speed(first, c.other) == "≈", "being equal goes both ways")
		}
	}
}

func TestTable(t *testing.T) {
	other := point
	other.N = 2000
	train := measure.Point{Op: measure.TrainStep, DType: device.Float16, Reduction: "mean", Layout: "30-1", N: 32}
	step := result("cpu", train, 3200, 0.01)
	step.Traffic, step.MaxULP = 0, math.NaN()
	var b bytes.Buffer
	report.WriteTable(&b, []*measure.Result{
		result("cpu", point, 1000, 0.01), result("cpu?simd=off", point, 4000, 0.01), result("cpu", other, 1000, 0.01), step,
	})
	var rows [][]string // without the empty lines
	for line := range strings.Lines(b.String()) {
		require.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "nothing trails")
		if fields := strings.Fields(line); len(fields) > 0 {
			rows = append(rows, fields)
		}
	}
	require.Equal(t, []string{"operation", "dtype", "layout", "size", "device", "ns/element", "spread", "GB/s", "speed", "max", "ulp"}, rows[0])
	require.Equal(t, []string{"softmarginloss_backward", "mean", "float32", "contiguous", "1000", "cpu", "1.00", "±1.0%", "8.00", "1", "0.50"}, rows[2])
	require.Equal(t, []string{"cpu?simd=off", "4.00", "±1.0%", "2.00", "0.250", "0.50"}, rows[3], "the point is named once")
	require.Equal(t, []string{"softmarginloss_backward", "mean", "float32", "contiguous", "2000", "cpu", "0.500", "±1.0%", "16.0", "1", "0.50"}, rows[4])
	require.Equal(t, []string{"train_step", "float16", "30-1", "32", "cpu", "100", "±1.0%", "-", "1", "-"}, rows[5])
}

// TestJSON holds the file to its schema, name by name, and reads it back.
func TestJSON(t *testing.T) {
	broken := result("faulty", point, 1000, 0)
	broken.MaxULP = math.Inf(1)
	unknown := result("b", point, 1000, 0)
	unknown.MaxULP = math.NaN()
	d := report.NewDocument(machine.Describe(), []*measure.Result{result("cpu?a=1&b=2", point, 1000, 0.1), broken, unknown})
	var b bytes.Buffer
	require.NoError(t, d.WriteJSON(&b))
	var back report.Document
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, d, back)

	var raw struct {
		Machine map[string]any
		Records []map[string]any
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &raw))
	require.Len(t, raw.Records, 3)
	names := []string{"op", "device", "dtype", "reduction", "layout", "n", "ns_per_element", "ns_per_op", "min_ns_per_op", "max_ns_per_op",
		"gb_per_s", "max_ulp", "allocs_per_op", "samples"}
	require.Len(t, raw.Records[0], len(names))
	for _, name := range names {
		require.Contains(t, raw.Records[0], name)
	}
	for _, name := range []string{"cpu", "cores", "caches", "go_version", "simd_level", "copy_gb_per_s_one_thread", "add_gb_per_s_all_threads"} {
		require.Contains(t, raw.Machine, name)
	}
	r := raw.Records[0]
	require.Equal(t, 1000.0, r["n"])
	require.Equal(t, 1.0, r["ns_per_element"])
	require.Equal(t, 1000.0, r["ns_per_op"])
	require.Equal(t, 800.0, r["min_ns_per_op"])
	require.Equal(t, 1200.0, r["max_ns_per_op"])
	require.Equal(t, 8.0, r["gb_per_s"])
	require.Equal(t, 5.0, r["samples"])
	require.Equal(t, math.MaxFloat64, raw.Records[1]["max_ulp"])
	require.Nil(t, raw.Records[2]["max_ulp"])

	b.Reset()
	require.NoError(t, d.WriteCSV(&b))
	rows, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	require.Equal(t, names, rows[0])
	require.Equal(t, []string{measure.Backward, "cpu?a=1&b=2", "float32", "mean", "contiguous", "1000", "1", "1000", "800", "1200", "8", "0.5", "0", "5"}, rows[1])
	require.Empty(t, rows[3][11])
}

func TestPlot(t *testing.T) {
	m := machine.Describe()
	m.AddAll = 10
	large := point
	large.N = 1 << 20
	list := []*measure.Result{result("cpu", point, 1000, 0), result("b", point, 3000, 0), result("cpu", large, 1e6, 0), result("b", large, 2e6, 0)}
	var b bytes.Buffer
	require.NoError(t, report.WritePlot(&b, m, list, "png"))
	picture, err := png.Decode(&b)
	require.NoError(t, err)
	require.Greater(t, picture.Bounds().Dx(), 300)

	b.Reset()
	require.NoError(t, report.WritePlot(&b, m, list, "svg"))
	for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
	for _, text := range []string{"softmarginloss_backward mean, float32", "memory limit, 10 GB/s", "ns an element", ">cpu<", ">b<"} {
		require.Contains(t, b.String(), text)
	}
	require.ErrorContains(t, report.WritePlot(&b, m, list[:2], "png"), "nothing to draw")

	// Sizes between two powers of two are labelled themselves.
	near := point
	near.N = 1020
	b.Reset()
	require.NoError(t, report.WritePlot(&b, m, []*measure.Result{result("cpu", point, 1000, 0), result("cpu", near, 1100, 0)}, "svg"))
	require.Contains(t, b.String(), ">1000<")
	require.Contains(t, b.String(), ">1020<")

	step := measure.Point{Op: measure.TrainStep, DType: device.Float32, Layout: "30-1", N: 32}
	wide := step
	wide.N = 64
	for want, points := range map[bool][]measure.Point{true: {step, point, large}, false: {point, point, step, wide}} {
		require.Equal(t, want, report.Drawable(points))
	}
}
