package measure

import (
	"bytes"
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	_ "github.com/pullback-go/pullback/bench/internal/faulty"
	"github.com/pullback-go/pullback/device"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everyOp is a small point of each operation, in several dtypes, layouts and reductions.
func everyOp() []Point {
	var list []Point
	for _, op := range Ops {
		for _, d := range []device.DType{device.Float32, device.BFloat16, device.Float64} {
			if op == TrainStep {
				list = append(list, Point{op, d, "mean", "5-4-1", 8})
				continue
			}
			reductions, layouts := []string{""}, []string{"contiguous"}
			if HasReduction(op) {
				reductions = []string{"none", "mean", "sum"}
			}
			if HasLayout(op) && d == device.Float32 {
				layouts = Layouts
			}
			for _, r := range reductions {
				for _, l := range layouts {
					list = append(list, Point{op, d, r, l, 512})
				}
			}
		}
	}
	return list
}

func open(t *testing.T, names ...string) []device.Device {
	var list []device.Device
	for _, name := range names {
		dev, err := device.Open(name)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, dev.Close()) })
		list = append(list, dev)
	}
	return list
}

func run(t *testing.T, points []Point, devices ...device.Device) *Report {
	r, err := Run(context.Background(), Options{Points: points, Devices: devices, LastLevelCache: 1 << 20, Progress: func(int, int) {}})
	require.NoError(t, err)
	return r
}

// TestEveryOp measures each operation with next to no budget: a result for each device, right
// to within its arithmetic, and nothing allocated in a launch.
func TestEveryOp(t *testing.T) {
	points := everyOp()
	r := run(t, points, open(t, "cpu?threads=1", "cpu?simd=off")...)
	require.Empty(t, r.Refused)
	require.Empty(t, r.Failed)
	require.Len(t, r.Results, 2*len(points))
	for i, x := range r.Results {
		require.Equal(t, points[i/2], x.Point)
		require.Equal(t, []string{"cpu?threads=1", "cpu?simd=off"}[i%2], x.Device)
		require.GreaterOrEqual(t, len(x.Samples), 3)
		require.IsNonDecreasing(t, x.Samples)
		require.Positive(t, x.Samples[0])
		require.Zero(t, x.Allocs, "%+v", x.Point)
		require.False(t, x.Wrong, "%+v on %s: %v", x.Point, x.Device, x.MaxULP)
		require.Equal(t, x.Op == TrainStep, x.Traffic == 0)
	}
}

// TestAFaultyDeviceShows in the column of errors, in every operation that it computes.
func TestAFaultyDeviceShows(t *testing.T) {
	var points []Point
	for _, p := range everyOp() {
		if p.DType == device.Float32 && p.Op != Upload && p.Op != Download {
			points = append(points, p)
		}
	}
	for _, x := range run(t, points, open(t, "faulty?ulp=1000000")...).Results {
		require.Greater(t, x.MaxULP, 1e3, "%+v", x.Point)
		require.Equal(t, x.Op != AdamW, x.Wrong, "%+v", x.Point)
	}
}

func TestRefusals(t *testing.T) {
	points := []Point{{ReLU, device.Float64, "", "contiguous", 64}, {ReLU, device.Float64, "", "contiguous", 128}, {ReLU, device.Float32, "", "contiguous", 64}}
	r := run(t, points, open(t, "faulty?dtypes=float32")...)
	require.Len(t, r.Results, 1)
	require.Len(t, r.Refused, 1, "said once for all sizes")
	require.Contains(t, r.Refused[0], "relu in float64")
	refused := run(t, []Point{{TrainStep, device.Float64, "mean", "5-1", 8}}, open(t, "faulty?dtypes=float32")...).Refused
	require.Len(t, refused, 1)
	require.NotContains(t, refused[0], ".go:", "where in the source it came from is nobody's concern here")
	require.Empty(t, r.Failed)
	dev := open(t, "cpu")[0]
	require.NoError(t, dev.Close())
	r = run(t, points[2:], dev)
	require.Empty(t, r.Results)
	require.Len(t, r.Failed, 1, "a closed device is a failure")
}

func TestStopping(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	points := []Point{{ReLU, device.Float32, "", "contiguous", 64}, {ReLU, device.Float32, "", "contiguous", 128}}
	r, err := Run(ctx, Options{Points: points, Devices: open(t, "cpu"), Budget: time.Hour, LastLevelCache: 1 << 20, Progress: func(done, total int) {
		require.Equal(t, 2*rounds, total)
		cancel()
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, r.Results, 1, "what was measured is there")
}

// TestTurns: every entry once a round, the devices of a point together, another one first each time.
func TestTurns(t *testing.T) {
	const devices, entries = 3, 12
	for round := range 4 {
		seen := map[int]bool{}
		for at := range entries {
			e := turn(round*entries+at, devices, entries)
			seen[e] = true
			require.Equal(t, at/devices, e/devices)
			if at%devices == 0 {
				require.Equal(t, round%devices, e%devices)
			}
		}
		require.Len(t, seen, entries)
	}
}

func TestStatistics(t *testing.T) {
	r := &Result{Samples: []float64{1, 2, 3, 4, 100}}
	require.Equal(t, 3.0, r.Median())
	low, high := r.Quartiles()
	require.Equal(t, []float64{2, 4}, []float64{low, high})
	require.InDelta(t, 1.0/3, r.Spread(), 1e-15)
	require.Equal(t, 1.5, (&Result{Samples: []float64{1, 2}}).Median())
	require.True(t, math.IsNaN((&Result{Samples: []float64{1, 2}}).Spread()))

	var samples []sample
	for i := range 6 {
		samples = append(samples, sample{float64(6 - i), false}, sample{100, true})
	}
	require.Equal(t, []float64{1, 2, 3, 4, 5, 6}, kept(samples), "enough were left alone")
	require.Equal(t, []float64{5, 6, 100, 100}, kept(samples[:4]), "too few were")
}

// TestSamples: what other programs took is not the operation's time, where it is known.
func TestSamples(t *testing.T) {
	at := func(thread int, waited time.Duration, preempted int64) observation {
		return observation{thread, waited.Nanoseconds(), waited.Nanoseconds(), preempted}
	}
	before := observation{1, 1e9, 1e9, 5}
	const took, quick = 10 * time.Millisecond, 20 * time.Microsecond
	for _, c := range []struct {
		looking time.Duration
		after   observation
		want    sample
	}{
		{quick, before, sample{1e6, false}},
		{quick, at(1, time.Second+100*time.Microsecond, 5), sample{0.99e6, false}},
		{quick, at(1, time.Second+4*time.Millisecond, 6), sample{0.6e6, true}},
		{quick, observation{1, 1e9, 2e9, 5}, sample{1e6, true}}, // another thread waited
		{quick, at(2, 3*time.Second, 5), sample{1e6, true}},
		{time.Millisecond, at(1, time.Second+4*time.Millisecond, 5), sample{1e6, true}},
		{time.Millisecond, before, sample{1e6, true}},
	} {
		require.Equal(t, c.want, newSample(10, took, c.looking, before, c.after))
	}
}

func TestShapes(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 12: {3, 4}, 13: {1, 13}, 1 << 15: {128, 256}, 1 << 20: {1024, 1024}} {
		rows, columns := Point{Op: ReLU, N: n}.shape()
		require.Equal(t, want, [2]int{rows, columns})
	}
	for _, n := range []int{1, 12, 65521, 1 << 15, 1 << 28} { // no operand is larger than the product
		rows, columns := Point{Op: MatMul, N: n}.shape()
		require.Equal(t, n, rows*columns)
		require.LessOrEqual(t, columns, rows)
	}
	require.Error(t, Point{Op: Linear, DType: device.Float32, N: 1000}.Check())
	for p, fits := range map[Point]bool{
		{Op: ReLU, DType: device.Float32, N: 1 << 27}:                            true,
		{Op: ReLU, DType: device.Float64, N: 1 << 28}:                            false,
		{Op: AdamW, DType: device.Float64, N: 1 << 27}:                           false,
		{Op: TrainStep, DType: device.Float32, Layout: "30-64-32-1", N: 1 << 16}: true,
		{Op: TrainStep, DType: device.Float32, Layout: "16384-16384-1", N: 32}:   false,
		{Op: TrainStep, DType: device.Float32, Layout: "16384-1", N: 1 << 20}:    false,
	} {
		if err := p.Check(); fits {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "GiB")
		}
	}
	require.Error(t, Point{Op: ReLU, Layout: "transposed", N: 13}.Check(), "a row is the same as a column")
	require.NoError(t, Point{Op: ReLU, Layout: "strided", N: 13}.Check())
	for _, network := range []string{"", "30", "30-2", "30-x-1", "0-1", "30--1"} {
		require.Error(t, Point{Op: TrainStep, Layout: network, N: 1}.Check(), network)
	}
}

// TestTraffic counts the bytes by hand.
func TestTraffic(t *testing.T) {
	for _, c := range []struct {
		p    Point
		want float64
	}{
		{Point{Backward, device.Float32, "none", "contiguous", 1024}, 4 * 4 * 1024},
		{Point{Backward, device.Float32, "mean", "contiguous", 1024}, 4 * (3*1024 + 1)},
		{Point{Forward, device.BFloat16, "mean", "strided", 1024}, 2 * (2*1024 + 1)},
		{Point{Forward, device.Float32, "sum", "broadcast", 1024}, 4 * (32 + 1024 + 1)},
		{Point{Both, device.Float32, "mean", "contiguous", 1024}, 4 * (3*1024 + 2)},
		{Point{ReLU, device.Float16, "", "transposed", 1024}, 2 * 2 * 1024},
		{Point{AdamW, device.Float32, "", "contiguous", 1024}, 4 * (7*1024 + 1 + 2)},
		{Point{MatMul, device.Float32, "", "contiguous", 1024}, 4 * 3 * 1024},
	} {
		require.Equal(t, c.want, traffic(c.p.Calls(0)), "%+v", c.p)
	}
}

// TestStored: what is counted beforehand is what there is then.
func TestStored(t *testing.T) {
	for _, p := range everyOp() {
		inputs, results := p.Stored()
		list := p.Calls(0)
		if len(list) == 0 {
			continue
		}
		want := (inputs + results) * p.DType.Size()
		if p.Op == AdamW { // whose result is an input; the number of steps is no half
			want = (inputs-1)*p.DType.Size() + p.DType.Compute().Size()
		}
		require.Equal(t, want, footprint(list), "%+v", p)
	}
}

// TestLimits: with next to no budget every point gets its three samples, and with no time none is begun.
func TestLimits(t *testing.T) {
	points := []Point{{ReLU, device.Float32, "", "contiguous", 64}, {ReLU, device.Float32, "", "contiguous", 128}}
	o := Options{Points: points, Devices: open(t, "cpu", "cpu?simd=off"), LastLevelCache: 1 << 20, Progress: func(int, int) {}}
	o.Until = time.Now().Add(time.Hour)
	r, err := Run(context.Background(), o)
	require.NoError(t, err)
	require.Len(t, r.Results, 4)
	require.Zero(t, r.Late)
	o.Until = time.Now()
	r, err = Run(context.Background(), o)
	require.NoError(t, err)
	require.Empty(t, r.Results)
	require.Equal(t, 4, r.Late)
}

// TestCopies: small tensors come in several copies that differ, those too large for half of
// the cache in as many as twice of it holds.
func TestCopies(t *testing.T) {
	require.Equal(t, 16, copies(1<<10, 12<<10, 32<<20))
	require.Equal(t, 1, copies(1<<20, 12<<20, 32<<20))
	require.Equal(t, 2, copies(1<<22, 48<<20, 32<<20))
	require.Equal(t, 1, copies(1<<24, 192<<20, 32<<20))
	require.NotEqual(t, draw(scores, device.Float32, 1000, 0), draw(scores, device.Float32, 1000, 1))
	whole := draw(labels, device.BFloat16, 1<<19, 3)
	require.Len(t, whole, 2<<19)
	require.True(t, bytes.Equal(whole[:100], whole[2*length[labels]:2*length[labels]+100]), "the table is repeated")
}
