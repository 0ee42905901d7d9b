package devicetest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// check runs the whole row.
func (c *opCase) check(t require.TestingT, dev device.Device, o Options) {
	f := newFixture(t, dev, o)
	defer f.close()
	if slices.Contains(o.Without, c.name()) {
		f.checkRefusedOp(c)
		return
	}
	for _, r := range thinned(c.sizes(o)) {
		first := f.run(c, r)
		if !r.large() {
			f.sameBits(first, f.run(c, r), "%s: planned and launched again", r)
		}
	}
	for _, runs := range [][]run{c.mixed(o), c.strided(o), c.inPlaces(o), c.specials(o)} {
		for _, r := range thinned(runs) {
			f.run(c, r)
		}
	}
}

// checkSame makes the row's calls on two devices.
func (c *opCase) checkSame(t require.TestingT, dev1, dev2 device.Device, o Options) {
	a, b := newFixture(t, dev1, o), newFixture(t, dev2, o)
	defer a.close()
	defer b.close()
	for _, r := range thinned(c.sizes(o)) {
		a.sameBits(a.run(c, r), b.run(c, r), "%s: %s after %s", r, dev2.Name(), dev1.Name())
	}
}

// thinned returns the runs, or, under the race detector, which makes the suite
// ten times slower, one in ten and those that are large enough to race.
func thinned(runs []run) []run {
	if !raceDetector() {
		return runs
	}
	var kept []run
	for i, r := range runs {
		if i%10 == 0 || r.large() {
			kept = append(kept, r)
		}
	}
	return kept
}

var raceDetector = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
})

// What memory holds where no element is: NaN in every dtype around inputs, so
// that reading it shows, and large numbers in outputs, so that not writing does.
const (
	inputPoison  = 0xff
	outputPoison = 0xdb
)

// run makes one run and checks it. It returns the bits of what was written.
func (f *fixture) run(c *opCase, r run) []byte {
	defer f.free()
	in := make([]*memory, len(r.shapes))
	views := make([]device.View, len(in))
	for i, shape := range r.shapes {
		in[i] = f.newMemory(r.inputs[i], shape, r.layouts[i], inputPoison)
		views[i] = in[i].view
	}
	outType, err := r.op.Infer(r.types())
	require.NoError(f.t, err, "%s", r)

	var out *memory
	if r.inPlace >= 0 {
		out = in[r.inPlace]
	} else {
		out = f.newMemory(r.output, outType.Shape, r.layouts[len(in)], outputPoison)
		f.upload(out.view.Buffer, out.bytes)
	}
	written := []*memory{out}
	if u, ok := r.op.(device.Updater); ok {
		written = nil
		for _, i := range u.Updates() {
			written = append(written, in[i])
		}
	}

	exe, workspace := f.plan(r.op, out.view, views...)
	h := fnv.New64()
	fmt.Fprint(h, r)
	rng := rand.New(rand.NewPCG(1, h.Sum64()))
	for step := range max(c.steps, 1) {
		for i, m := range in {
			if step == 0 || !slices.Contains(written, m) {
				m.set(c.values(rng, r, i, step))
				f.upload(m.view.Buffer, m.bytes)
			}
		}
		tensors := make([]tensor, len(in))
		for i, m := range in {
			tensors[i] = tensor{m.view.Shape, m.values()}
		}
		wants := c.want(r.op, tensors)
		require.NoError(f.t, exe.Launch(workspace, f.stream), "%s", r)

		for i, m := range in {
			if !slices.Contains(written, m) && !bytes.Equal(f.download(m.view.Buffer), m.bytes) {
				f.failf("%s: the launch changed input %d", r, i)
			}
		}
		for i, m := range written {
			before := m.bytes
			m.bytes = f.download(m.view.Buffer)
			if at := m.stray(before); at >= 0 {
				f.failf("%s: the launch wrote to byte %d of the buffer, which is no element of the output", r, at)
			}
			f.compare(c, r, wants[i], m, tensors)
		}
	}
	var bits []byte
	for _, m := range written {
		bits = append(bits, m.elements()...)
	}
	if r.inPlace < 0 { // the inputs are still what they were, so launch again
		fill(out.bytes, outputPoison)
		f.upload(out.view.Buffer, out.bytes)
		require.NoError(f.t, exe.Launch(workspace, f.stream), "%s", r)
		out.bytes = f.download(out.view.Buffer)
		f.sameBits(bits, out.elements(), "%s: the same executor launched again", r)
	}
	f.ok(exe.Close())
	return bits
}

// values returns the source of the values of input i.
func (c *opCase) values(rng *rand.Rand, r run, i, step int) func(int) float64 {
	if !r.special {
		return func(int) float64 { return c.operands[i].draw(rng, step) }
	}
	repeat := 1
	for _, o := range c.operands[i+1:] {
		repeat *= len(o.special)
	}
	list := c.operands[i].special
	return func(k int) float64 { return list[k/repeat%len(list)] }
}

// compare checks the elements of one tensor that was written.
func (f *fixture) compare(c *opCase, r run, want []number, m *memory, in []tensor) {
	got := m.values()
	require.Len(f.t, got, len(want), "%s", r)
	ulp := max(c.ulp, f.o.ULP[c.name()])
	for i, w := range want {
		var x []float64
		if r.special {
			for _, t := range in {
				x = append(x, t.data[i])
			}
			if c.open != nil && c.open(x) {
				continue
			}
		}
		zeros := c.signedZero && w.value == 0 && got[i] == 0
		if !w.accepts(got[i], ulp, m.view.DType) || zeros && math.Signbit(w.value) != math.Signbit(got[i]) {
			f.failf("%s: element %d%s is %v, want %v: %.3g ulp of %s, where float32 may be off by %g ulp of %g",
				r, i, of(x), got[i], w.value, ULP(got[i], w.value, m.view.DType), m.view.DType, ulp, w.scale)
		}
	}
}

func of(x []float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf(" of %v", x)
}

// String returns the run as one line, with everything that is needed to make it again.
func (r run) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(", device.OpString(r.op))
	for i, shape := range r.shapes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s%s %s", r.inputs[i], device.ShapeString(shape), r.layouts[i].name)
	}
	fmt.Fprintf(&b, ") to %s %s", r.output, r.layouts[len(r.shapes)].name)
	if r.inPlace >= 0 {
		fmt.Fprintf(&b, " in place of input %d", r.inPlace)
	}
	if r.special {
		b.WriteString(", special values")
	}
	return b.String()
}
