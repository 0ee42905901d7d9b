package device_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// splitMix64 is the generator as its authors give it, one number at a time.
type splitMix64 uint64

func (s *splitMix64) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func TestDropoutRandom(t *testing.T) {
	// The first numbers of the seed 1234567, which implementations are commonly checked with.
	s := splitMix64(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		require.Equal(t, want, s.next())
	}
	for _, key := range [][2]uint64{{0, 0}, {1, 0}, {0, 1}, {123456, 654321}, {1<<24 - 1, 1<<24 - 1}} {
		// The seed is one number of the generator that starts at the key, spread by an
		// odd multiplier. Number i of a sequence comes from the state seed + i·increment.
		spread := splitMix64((key[0]|key[1]<<24)*0xd1342543de82ef95 + 1)
		spread -= 0x9e3779b97f4a7c15
		sequence := splitMix64(spread.next())
		sequence -= 0x9e3779b97f4a7c15
		for i := range 1000 {
			want := float64(sequence.next()>>40) / (1 << 24)
			require.Equal(t, want, device.DropoutRandom(float32(key[0]), float32(key[1]), i), "key %v, element %d", key, i)
		}
	}
}

// The numbers are uniform, and sequences of neighbouring keys have nothing to do
// with each other.
func TestDropoutRandomIsUniform(t *testing.T) {
	const n = 200_000
	keys := [][2]float32{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1<<24 - 1, 0}}
	for _, k := range keys {
		mean, bins := 0.0, [16]int{}
		for i := range n {
			x := device.DropoutRandom(k[0], k[1], i)
			require.True(t, x >= 0 && x < 1 && x*(1<<24) == math.Trunc(x*(1<<24)), "%v", x)
			mean += x / n
			bins[int(x*16)]++
		}
		require.InDelta(t, 0.5, mean, 5/math.Sqrt(12*n), "key %v", k) // five standard deviations
		for _, count := range bins {
			require.InDelta(t, n/16, count, 5*math.Sqrt(n/16.), "key %v", k)
		}
		for _, other := range keys {
			for _, shift := range []int{0, 1, 17} {
				if other == k && shift == 0 {
					continue
				}
				covariance := 0.0
				for i := range n {
					covariance += (device.DropoutRandom(k[0], k[1], i) - 0.5) * (device.DropoutRandom(other[0], other[1], i+shift) - 0.5) / n
				}
				require.InDelta(t, 0, covariance*12, 5/math.Sqrt(n), "keys %v and %v, %d apart", k, other, shift)
			}
		}
	}
}
