package gemm

// operand is A or B, seen along k and across it, where A has m rows and B has n columns.
type operand struct {
	k, n          int
	along, across int // strides

	// Packed, it lies in the workspace as panels: width rows of A or columns of B
	// next to each other, for all of k.
	width  int // 0 if it is used where it lies
	offset int
}

// at returns a pointer to the element l along and j across, in the panel if it is
// packed, and the strides from there.
func (o *operand) at(data, workspace []float32, l, j int) (p *float32, along, across int) {
	if o.width == 0 {
		return &data[l*o.along+j*o.across], o.along, o.across
	}
	return &workspace[o.offset+j/o.width*o.k*o.width+l*o.width+j%o.width], o.width, 1
}

// length returns how many elements of memory the operand reaches over, 0 if it is empty.
func (o *operand) length() int {
	if o.k == 0 || o.n == 0 {
		return 0
	}
	return (o.k-1)*o.along + (o.n-1)*o.across + 1
}

// panels returns the number of panels, 0 if it is used where it lies.
func (o *operand) panels() int {
	if o.width == 0 {
		return 0
	}
	return ceil(o.n, o.width)
}

// pack copies a panel to the workspace.
func (o *operand) pack(kernels *kernels, data, workspace []float32, panel int) {
	first := panel * o.width
	cols := min(o.width, o.n-first)
	src, dst := data[first*o.across:], workspace[o.offset+first*o.k:]
	switch {
	case o.across == 1 && cols > 1:
		kernels.copy(&dst[0], o.width, &src[0], o.along, o.k, cols)
	case o.along == 1 && o.width%8 == 0:
		kernels.transposed(&dst[0], o.width, &src[0], o.across, o.k, cols)
	default:
		for l := range o.k {
			for j := range cols {
				dst[l*o.width+j] = src[l*o.along+j*o.across]
			}
		}
	}
}

// worthPacking returns whether the product gets faster if A, and if B, is packed.
func (p *Plan) worthPacking() (a, b bool) {
	return p.a.conflicts() && p.a.across == 1 && ceil(p.n, p.kernels.columns()) >= packedUses,
		p.b.conflicts() && ceil(p.m, p.kernels.rows) >= packedUses
}

// packedUses is how often an element must be used for it to be worth packing.
const packedUses = 8

// conflicts reports whether rows of the operand get into each other's way in the
// cache: their addresses differ by multiples of half a page, so that they all share two of
// the sets of a first-level cache, and there are more of them than these sets hold.
func (o *operand) conflicts() bool { return o.along%512 == 0 && o.along > 0 && o.k > 32 }

// usePanels has A and B packed if it is asked for, and B as well if kernels cannot
// use it where it lies, and sizes the workspace.
func (p *Plan) usePanels(a, b bool) {
	p.a.width, p.b.width, p.workspace = 0, 0, 0
	if p.m == 0 || p.n == 0 || p.k == 0 {
		return
	}
	if a {
		p.a.width = rowBlock
	}
	if b || p.b.across != 1 {
		// Not wider than B needs, up to whole vectors.
		p.b.width = min(p.kernels.columns(), ceil(p.n, p.kernels.lanes)*p.kernels.lanes)
	}
	for _, o := range []*operand{&p.a, &p.b} {
		o.offset = p.workspace
		p.workspace += o.panels() * o.k * o.width
	}
}
