package strided

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"golang.org/x/sys/unix"
)

// guarded is memory between two pages that may not be touched.
type guarded []byte

func newGuarded(t *testing.T, pages int) guarded {
	page := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, (pages+2)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[(pages+1)*page:], unix.PROT_NONE))
	return m[page : (pages+1)*page]
}

// at returns n elements that start or end so many elements away from a guard page.
func at[E float32 | uint16](g guarded, end bool, distance, n int) []E {
	var e E
	all := unsafe.Slice((*E)(unsafe.Pointer(&g[0])), len(g)/int(unsafe.Sizeof(e)))
	if end {
		distance = len(all) - distance - n
	}
	return all[distance:][:n:n]
}

// untouched is what memory holds that a kernel must leave alone.
const untouched = -77

// Every gather, at every length and many strides and misalignments: right elements, and
// nothing read or written outside.
func TestGather(t *testing.T) {
	testGather(t, "float32", Gather, func() (float32, float32) {
		x := rand.Float32()
		return x, x
	})
	testGather(t, "float16", GatherFloat16, func() (uint16, float32) {
		for {
			bits := uint16(rand.Uint32())
			if x := float16.Frombits(bits).Float32(); x == x { // NaN does not equal itself
				return bits, x
			}
		}
	})
	testGather(t, "bfloat16", GatherBFloat16, func() (uint16, float32) {
		for {
			bits := uint16(rand.Uint32())
			if x := math.Float32frombits(uint32(bits) << 16); x == x {
				return bits, x
			}
		}
	})
}

func testGather[E float32 | uint16](t *testing.T, name string, gather func(dst []float32, src []E, stride int), random func() (E, float32)) {
	t.Run(name, func(t *testing.T) {
		const most = 257
		from, to := newGuarded(t, 16), newGuarded(t, 1)
		for n := Lanes; n <= most; n++ {
			for _, stride := range []int{1, 2, 3, 4, 5, 7, 8, 17, 63} {
				for _, end := range []bool{false, true} {
					src := at[E](from, end, rand.IntN(2)*rand.IntN(9), (n-1)*stride+1)
					all := at[float32](to, false, 0, 1024)
					for i := range all {
						all[i] = untouched
					}
					distance := rand.IntN(9)
					dst, want := at[float32](to, end, distance, n), make([]float32, n)
					for i := range want {
						src[i*stride], want[i] = random()
					}
					gather(dst, src, stride)
					require.Equal(t, want, dst, "%d elements, %d apart", n, stride)
					written := 0
					for _, x := range all {
						if x != untouched {
							written++
						}
					}
					require.LessOrEqual(t, written, n, "%d elements, %d apart: written outside", n, stride)
				}
			}
		}
		require.Panics(t, func() { gather(make([]float32, Lanes-1), make([]E, 100), 1) })
		require.Panics(t, func() { gather(make([]float32, Lanes), make([]E, 100), 0) })
		require.Panics(t, func() { gather(make([]float32, 12), make([]E, 33), 3) })
	})
}

// Every size of a matrix up to some tiles: right elements, and nothing read or written outside.
func TestTranspose(t *testing.T) {
	const most = 35
	from, to := newGuarded(t, 2), newGuarded(t, 2)
	for rows := 4; rows <= most; rows++ {
		for columns := Lanes; columns <= most; columns++ {
			for _, end := range []bool{false, true} {
				pitch, stride := columns+rand.IntN(3), rows+rand.IntN(3)
				src := at[float32](from, end, rand.IntN(2)*rand.IntN(9), (columns-1)*stride+rows)
				all := at[float32](to, false, 0, 2048)
				for i := range all {
					all[i] = untouched
				}
				dst := at[float32](to, end, rand.IntN(9), (rows-1)*pitch+columns)
				for i := range src {
					src[i] = rand.Float32()
				}
				Transpose(dst, pitch, src, stride, rows, columns)
				for i := range rows {
					for j := range columns {
						require.Equal(t, src[i+j*stride], dst[i*pitch+j], "element %d, %d of %d by %d", i, j, rows, columns)
						dst[i*pitch+j] = untouched
					}
				}
				for _, x := range all {
					require.EqualValues(t, untouched, x, "%d by %d: written outside", rows, columns)
				}
			}
		}
	}
	memory := make([]float32, 4*8)
	for name, f := range map[string]func(){
		"rows":        func() { Transpose(memory, 8, memory, 4, 3, 8) },
		"columns":     func() { Transpose(memory, 7, memory, 4, 4, 7) },
		"pitch":       func() { Transpose(memory, 7, memory, 4, 4, 8) },
		"stride":      func() { Transpose(memory, 8, memory, 0, 4, 8) },
		"destination": func() { Transpose(memory[1:], 8, memory, 4, 4, 8) },
		"source":      func() { Transpose(memory, 8, memory[1:], 4, 4, 8) },
	} {
		require.Panics(t, f, name)
	}
}
