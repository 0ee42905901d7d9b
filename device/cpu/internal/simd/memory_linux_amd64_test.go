package simd

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// guarded is memory between two pages that may not be touched.
type guarded []byte

func newGuarded(t *testing.T) guarded {
	page := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[2*page:], unix.PROT_NONE))
	return m[page : 2*page]
}

// at returns n bytes that start or end so many bytes away from a guard page.
func (g guarded) at(end bool, distance, n int) memory {
	if end {
		return memory(g[len(g)-n-distance:][:n:n])
	}
	return memory(g[distance:][:n:n])
}

// Every function, at every length up to 257 and misalignments up to 63 bytes: nothing outside the
// slices is read or written, and what comes out for an element depends neither on where it lies, nor on the
// length, nor on whether the output is an input.
func TestMemory(t *testing.T) {
	const most = 257
	clean := bytes.Repeat([]byte{0xa5}, os.Getpagesize())
	for _, c := range calls() {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			regions := make([]guarded, len(c.slices))
			data, want := make([]memory, len(c.slices)), make([]memory, len(c.slices))
			for i, s := range c.slices {
				regions[i] = newGuarded(t)
				data[i] = make(memory, 2*most*s.size)
				if s.fill != nil {
					s.fill(r, data[i])
				}
				want[i] = slices.Clone(data[i])
			}
			c.run(want)

			part := func(m memory, i, first, n int) memory { return m[first*c.slices[i].size:][:n*c.slices[i].size] }
			for n := range most + 1 {
				for misalignment := 0; misalignment < 64; misalignment += c.slices[0].size {
					end := r.IntN(2) == 0
					first := r.IntN(most)
					s := make([]memory, len(c.slices))
					expected, sum := make([]memory, len(s)), 0.0
					for i, p := range c.slices {
						distance := r.IntN(64) / p.size * p.size
						if i == 0 {
							distance = misalignment
						}
						copy(regions[i], clean)
						s[i] = regions[i].at(end, distance, n*p.size)
						copy(s[i], part(data[i], i, first, n))
						expected[i] = part(want[i], i, first, n)
					}
					// Let the output be one of the inputs now and then.
					alias, out := r.IntN(len(s)), c.slices[0]
					if in := c.slices[alias]; alias == 0 || !out.written || out.fill != nil || in.written || in.size != out.size {
						alias = 0
					} else {
						s[0] = s[alias]
					}
					if c.wholesale {
						for i := range s {
							expected[i] = slices.Clone(part(data[i], i, first, n))
						}
						sum = c.run(expected)
					}
					got := c.run(s)
					require.Equal(t, math.Float64bits(sum), math.Float64bits(got), "the sum of %d elements, at %d bytes", n, misalignment)
					for i := range s {
						if i == 0 || i != alias {
							require.True(t, bytes.Equal(expected[i], s[i]), "slice %d of %d elements, at %d bytes: got %v, want %v", i, n, misalignment, s[i], expected[i])
						}
						written := len(clean) - bytes.Count(regions[i], clean[:1])
						require.LessOrEqual(t, written, len(s[i]), "slice %d of %d elements, at %d bytes: bytes written outside", i, n, misalignment)
					}
				}
			}
		})
	}
}
