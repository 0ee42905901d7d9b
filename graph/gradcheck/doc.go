// Package gradcheck compares the gradients of a graph with finite differences.
//
// A gradient rule is a formula that somebody derived by hand, and the usual
// mistakes in one (a factor, a sign, an operand's axis summed wrongly after a
// broadcast) give numbers that look like gradients. The only witness that shares
// none of its mistakes is the function itself: move one element of an input a little
// to either side, and see how the result moves. [Check] does that for every
// element of every input, for first derivatives and for second ones:
//
//	report, err := gradcheck.Check(dev, func(g *graph.Graph, in []*graph.Node) *graph.Node {
//		return Cube(in[0]) // the operation under test
//	}, inputs, gradcheck.Options{})
//	if err == nil {
//		err = report.Err()
//	}
//
// # What is differentiated
//
// The model's result y may have any shape. It is reduced to
//
//	s = Σ v·y + w·y²
//
// with pseudo-random weights v and w between 0.5 and 1.5, the same in every run. Every
// element of y counts, each differently, so that exchanged elements are seen. The first-order check
// compares [graph.Gradients] of s with differences of s.
//
// The second-order check differentiates
//
//	t = Σ u·ds/dx    over the elements of all checked inputs
//
// with weights u of the same kind, and compares with differences of the graph's first
// gradients. As t mixes all inputs, mixed derivatives are covered. As s is
// quadratic in y, the gradient that reaches the operation under test itself depends on x,
// so the rule of a backward operation is tested for its gradient operand too.
// Where t does not depend on an input, its second derivatives are taken to be zero,
// and the differences must agree.
//
// # Accuracy
//
// Derivatives are estimated with the seven-point stencil, three central differences with
// steps h, 2h and 3h extrapolated to zero (Abramowitz and Stegun, Handbook of
// Mathematical Functions, 1964, table 25.2). The step is h = 2⁻¹¹·r, where r is 1 for |x| < 2, and else the
// largest power of two that is not above |x|. The estimate's error is at most
//
//	h⁶/140 · max |f⁽⁷⁾|  +  1.9·δ/h
//
// where f⁽⁷⁾ is the seventh derivative within 3h of x and δ the rounding error of f,
// a few units in the last place of its largest term: together about 10⁻¹² for a
// function whose terms and derivatives are near 1. The two numbers are compared by
//
//	relative error = |analytic - numeric| / max(|analytic|, |numeric|, M/(256·r))
//
// where M is the sum of the magnitudes of the terms that move with x: a derivative far
// below these drowns in their rounding, and only its absolute error means something. A right rule is
// some 10⁻¹² to 10⁻⁹ off, a wrong one seldom less than 10⁻²; the default
// tolerance is 10⁻⁸.
//
// # Where it cannot be used
//
// The function must be smooth within 3h of every input element. At a kink (ReLU at
// 0, a tie of Maximum) or near a pole (Log at 0.001) differences say
// nothing about the derivative; choose inputs that keep away from them. Where the function changes by
// orders of magnitude within a few hundredths, scale its inputs. A model
// that computes small differences of large numbers needs a larger tolerance.
// Differences in float32 have no digits left to compare, so checked inputs and
// the result must be float64, and the device must have it.
package gradcheck
