package graph

import "math"

// Memory of a program is one buffer, the arena. Its layout is planned: every
// value lives from the operation that makes it to the last that reads it, and
// values whose lives do not meet share memory.

// region is a piece of the arena, in bytes.
type region struct{ offset, size int64 }

// arena plans the layout: a list of free regions below top, in order of offset,
// no two of them adjacent.
type arena struct {
	free     []region
	top      int64
	overflow bool // it would be larger than an int64 can count
}

// regionSize returns what a value of n bytes takes up: 64-byte aligned, with 32
// bytes after it that are nobody's. That is CANN's rule for memory that is handed out
// in pieces, as its kernels may touch a vector's width beyond the end. Where that is
// more than an int64 can count it is the largest region there is, which no device can give.
func regionSize(n int64) int64 { return (min(n, math.MaxInt64-32-63) + 32 + 63) &^ 63 }

// take returns a region for a value of n bytes: the smallest free one it fits
// in, else new memory at the top.
func (a *arena) take(n int64) region {
	n = regionSize(n)
	best := -1
	for i, f := range a.free {
		if f.size >= n && (best < 0 || f.size < a.free[best].size) {
			best = i
		}
	}
	if best < 0 {
		// Grow a free region that ends at the top rather than leave it.
		r := region{a.top, n}
		if last := len(a.free) - 1; last >= 0 && a.free[last].offset+a.free[last].size == a.top {
			r.offset = a.free[last].offset
			a.free = a.free[:last]
		}
		if n > math.MaxInt64-r.offset {
			a.overflow = true
			return region{}
		}
		a.top = r.offset + n
		return r
	}
	f := &a.free[best]
	r := region{f.offset, n}
	f.offset += n
	if f.size -= n; f.size == 0 {
		a.free = append(a.free[:best], a.free[best+1:]...)
	}
	return r
}

// give returns a region to the free list, joined with its neighbours.
func (a *arena) give(r region) {
	i := 0
	for i < len(a.free) && a.free[i].offset < r.offset {
		i++
	}
	a.free = append(a.free[:i], append([]region{r}, a.free[i:]...)...)
	if i+1 < len(a.free) && a.free[i].offset+a.free[i].size == a.free[i+1].offset {
		a.free[i].size += a.free[i+1].size
		a.free = append(a.free[:i+1], a.free[i+2:]...)
	}
	if i > 0 && a.free[i-1].offset+a.free[i-1].size == a.free[i].offset {
		a.free[i-1].size += a.free[i].size
		a.free = append(a.free[:i], a.free[i+1:]...)
	}
}
