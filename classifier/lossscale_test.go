package classifier

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The scale that PyTorch's GradScaler has after so many steps with finite gradients and others.
func TestLossScale(t *testing.T) {
	s := lossScale{scale: firstScale}
	for _, c := range []struct {
		steps  int
		finite bool
		scale  float64
	}{
		{1999, true, 65536},
		{1, true, 131072},
		{1999, true, 131072},
		{1, false, 65536}, // which starts the count anew
		{1999, true, 65536},
		{1, true, 131072},
		{3, false, 16384},
		{4000, true, 65536},
	} {
		for range c.steps {
			s.adjust(c.finite)
		}
		require.Equal(t, c.scale, s.scale, "%+v", c)
	}
}
