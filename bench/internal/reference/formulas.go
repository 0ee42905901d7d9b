package reference

import (
	"math"

	"github.com/pullback-go/pullback/device"
)

func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// roundsMargin reports whether a result of dtype d shows that the device has rounded the
// margin target·self. There is nothing to round for targets of ±1; and halves are computed in
// float32, whose rounding is lost in theirs.
func roundsMargin(target, margin float64, d device.DType) bool {
	return d.Size() >= 4 && math.Abs(target) != 1 && !math.IsInf(margin, 0)
}

// SoftMargin is log(1 + exp(-target·self)), for a result of dtype d. A device may round
// the margin target·self first, which moves the loss by margin·sigmoid(-margin) half ulps.
func SoftMargin(self, target float64, d device.DType) Number {
	margin := target * self
	n := exact(softplus(-margin))
	if roundsMargin(target, margin, d) {
		n.Scale += math.Abs(margin) * sigmoid(-margin)
	}
	return n
}

// leastNormal is the smallest float32 with all its digits. What is below has lost some.
const leastNormal = 0x1p-126

// SoftMarginGradient is -target · sigmoid(-target·self) · gradOutput, for a result of dtype d.
// The sigmoid may be below the normal float32 numbers, and the factors make its error large again.
func SoftMarginGradient(gradOutput, self, target float64, d device.DType) Number {
	margin := target * self
	n := exact(-target * sigmoid(-margin) * gradOutput)
	if roundsMargin(target, margin, d) {
		n.Scale *= 1 + math.Abs(margin)*sigmoid(margin)
	}
	if d != device.Float64 {
		n.Scale = max(n.Scale, math.Abs(target*gradOutput)*leastNormal)
	}
	return n
}

// bce is max(self, 0) - self·target + log(1 + exp(-|self|)).
func bce(self, target float64, _ device.DType) Number {
	l := math.Log1p(math.Exp(-math.Abs(self)))
	return Number{max(self, 0) - self*target + l, max(self, 0) + math.Abs(self*target) + l}
}

func bceGradient(gradOutput, self, target float64, _ device.DType) Number {
	s := sigmoid(self)
	return Number{(s - target) * gradOutput, (s + math.Abs(target)) * math.Abs(gradOutput)}
}

func normalCDF(x float64) float64     { return math.Erfc(-x/math.Sqrt2) / 2 }
func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// gelu is self·Φ(self). The rounding of self moves Φ by about self² ulps where it falls off, and
// at its end Φ is below the normal numbers.
func gelu(x float64) Number {
	n := exact(x * normalCDF(x))
	if x < 0 {
		n.Scale = max(n.Scale*max(1, x*x), -x*leastNormal)
	}
	return n
}

func geluGradient(gradOutput, x float64) Number {
	cdf, slope := normalCDF(x), x*normalDensity(x)
	scale := (cdf + math.Abs(slope)) * max(1, x*x)
	return Number{gradOutput * (cdf + slope), max(math.Abs(gradOutput)*scale, max(1, math.Abs(gradOutput))*max(1, math.Abs(x))*leastNormal)}
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

func maximum(a, b float64) float64 {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return math.NaN()
	case a > b:
		return a
	}
	return b
}

func maximumGradient(gradOutput, self, other float64) float64 {
	switch {
	case self > other:
		return gradOutput
	case self == other:
		return gradOutput / 2
	}
	return 0
}

// where returns x where the condition holds, else 0.
func where(condition bool, x float64) float64 {
	if condition {
		return x
	}
	return 0
}
