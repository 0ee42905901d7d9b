package device

import "slices"

// overlaps reports whether an element of v shares memory with an element of u. It
// is sure when it says no; for layouts that no slicing, transposing or
// reshaping produces it may say yes without being sure.
func (v View) overlaps(u View) bool {
	if v.Buffer != u.Buffer || slices.Contains(v.Shape, 0) || slices.Contains(u.Shape, 0) {
		return false
	}
	// The bytes of v[i] and u[j] meet if the distance of their addresses,
	//   distance + Σ i·strides of v - Σ j·strides of u,
	// lies between -size of v and size of u. With j counted from the other end every
	// term adds, and equal strides make one term.
	distance := v.Offset*v.DType.Size() - u.Offset*u.DType.Size()
	reach := map[int]int{} // by stride: the largest multiple
	for i, d := range v.Shape {
		reach[v.Strides[i]*v.DType.Size()] += d - 1
	}
	for i, d := range u.Shape {
		stride := u.Strides[i] * u.DType.Size()
		reach[stride] += d - 1
		distance -= (d - 1) * stride
	}
	delete(reach, 0)
	terms := make([]term, 0, len(reach))
	for stride, most := range reach {
		if most > 0 {
			terms = append(terms, term{stride, most})
		}
	}
	slices.SortFunc(terms, func(a, b term) int { return b.stride - a.stride })
	budget := 10_000
	return meets(terms, -distance-v.DType.Size()+1, -distance+u.DType.Size()-1, &budget)
}

// term is a multiple of stride, from 0 to most times.
type term struct{ stride, most int }

// meets reports whether the terms can add up to something from lo to hi. Each of
// the budget's tries that is used up makes it less patient; without any left it says yes.
func meets(terms []term, lo, hi int, budget *int) bool {
	rest := 0
	for _, t := range terms {
		rest += t.stride * t.most
	}
	if hi < 0 || lo > rest {
		return false
	}
	if lo <= 0 {
		return true // all terms at 0
	}
	if *budget--; *budget < 0 || len(terms) == 0 {
		return len(terms) > 0
	}
	t := terms[0]
	rest -= t.stride * t.most
	first := max(0, (lo-rest+t.stride-1)/t.stride)
	for k := min(t.most, hi/t.stride); k >= first; k-- {
		if meets(terms[1:], lo-k*t.stride, hi-k*t.stride, budget) {
			return true
		}
	}
	return false
}
