package ascend_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// BenchmarkLaunch measures what a launch costs of an operation that is next to no
// work: one that is waited for, a training step's worth, and a full queue.
func BenchmarkLaunch(b *testing.B) {
	requireSimulator(b)
	dev := open(b, "ascend:sim")
	x := fill(b, dev, device.Float32, 1)
	exe, err := dev.Plan(device.Neg{}, []device.View{x}, x)
	require.NoError(b, err)
	s, err := dev.NewStream()
	require.NoError(b, err)
	for _, n := range []int{1, 30, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range n {
					require.NoError(b, exe.Launch(nil, s))
				}
				require.NoError(b, s.Synchronize())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/launch")
		})
	}
}
