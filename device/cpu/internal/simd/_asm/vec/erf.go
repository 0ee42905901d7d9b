package vec

// The tail of the standard normal distribution is taken as
//
//	Φ(-t) = e^(-t²/2) · N(v)/(t+a),  v = (t-a)/(t+a)
//
// for t ≥ 0, where N varies little: a minimax fit up to t = 14.6, relative error 2^-25.3.
const tailCentre = 3.5

var tailN = []float32{0x1.7d241ap-1, -0x1.219152p-1, 0x1.42ff04p-2, -0x1.db58b2p-4, 0x1.1d107p-6, 0x1.a8eae0p-8, -0x1.9d97aap-9, -0x1.f0a01ap-12, 0x1.a973f2p-12, 0x1.8b6feap-14}

// MaxNormal is where t is to be cut off for [NormalTail]: Φ(-15) rounds to 0, times 15 as well.
const MaxNormal = 15

// NormalTail returns two factors of Φ(-t) for 0 ≤ t ≤ MaxNormal: about Φ(-t)·e^(t²/2), and about
// 2^40·e^(-t²/2). Both are off by the same unit or so in opposite directions.
func NormalTail(t Vec) (scaled, decay Vec) {
	sum := Add(t, Float(tailCentre))
	lost := Sub(t, Sub(sum, Float(tailCentre)))
	one := Float(1).Scalar().Times(len(t))
	w := Div(one, sum)
	// 1/(t+a) is w·(1+rest). The rest counts, because v and N(v) multiply its effect.
	rest := Copy(Float(1), len(t))
	SubMul(rest, w, sum)
	SubMul(rest, w, lost)
	v := Copy(Float(1), len(t)) // v = 1 - 2a/(t+a)
	SubMul(v, w, Float(2*tailCentre))
	SubMul(v, Mul(w, Float(2*tailCentre)), rest)
	return Mul(Horner(v, tailN...), w), gaussian(t, rest)
}

// gaussian returns 2^40·e^(-t²/2)·(1+rest) for |t| ≤ MaxNormal and a tiny rest. The rounding of t²
// would move it by up to t²/2 units in the last place, so what was lost is made good.
func gaussian(t, rest Vec) Vec {
	square := Mul(t, t)
	lost := Copy(square, len(t))
	SubMul(lost, t, t)
	AddMul(rest, lost, Float(0.5))
	x := Mul(square, Float(0.5))
	p := power(reduceNegatedExp(x, magic()+bias+UnitShift, 0))
	e, s := expProduct(Add(x, rest), p)
	MulAdd(e, s, p)
	return e
}
