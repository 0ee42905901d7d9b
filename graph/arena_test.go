package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArenaNeverHandsOutMemoryTwice plans many random lives and looks at each
// moment for regions that overlap, and at the end for memory that was lost.
func TestArenaNeverHandsOutMemoryTwice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var a arena
		var live []region
		for range 300 {
			if len(live) == 0 || random.IntN(5) < 3 {
				n := int64(random.IntN(5000))
				r := a.take(n)
				require.GreaterOrEqual(t, r.size, n+32)
				require.Zero(t, r.offset%64)
				require.LessOrEqual(t, r.offset+r.size, a.top)
				for _, other := range live {
					require.True(t, r.offset+r.size <= other.offset || other.offset+other.size <= r.offset, "%v overlaps %v", r, other)
				}
				live = append(live, r)
				continue
			}
			i := random.IntN(len(live))
			a.give(live[i])
			live = slices.Delete(live, i, i+1)
		}
		for _, r := range live {
			a.give(r)
		}
		require.Equal(t, []region{{0, a.top}}, a.free)
	}
}
