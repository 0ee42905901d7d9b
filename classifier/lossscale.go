package classifier

// lossScale is the factor of float16's loss, with the rules and numbers of PyTorch's GradScaler.
type lossScale struct {
	scale float64 // a power of two, so that multiplying by it and its inverse is exact
	good  int     // steps since it last changed
}

const (
	firstScale    = 1 << 16
	smallestScale = 1.0 / (1 << 16) // gradients that are infinite even so are not saved by less
	scaleInterval = 2000
)

// adjust takes notice of whether the gradients of a step were finite.
func (s *lossScale) adjust(finite bool) {
	if !finite {
		s.scale, s.good = s.scale/2, 0
		return
	}
	if s.good++; s.good == scaleInterval {
		s.scale, s.good = s.scale*2, 0
	}
}
