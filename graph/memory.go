package graph

import (
	"math"
	"slices"

	"github.com/pullback-go/pullback/device"
)

// Memory of a program is one buffer, the arena. Its layout is planned: every
// value lives from the operation that makes it to the last that reads it, and
// values whose lives do not meet share memory.

// memoryLayout says where every value lives.
type memoryLayout struct {
	views   []device.View // by node; offsets relative to the owner, no buffers yet
	owner   []*Node       // by node; whose memory it is: another's for views and updates
	regions []region      // by owner
	lastUse []int         // by owner; the place in the order of what reads it last, beyond the end for outputs
	arena   arena
}

// layOut assigns memory to the nodes that need it, see [arena]. Without reuse, which
// is for tests, no two share any.
func layOut(g *Graph, order, inputs []*Node, reuse bool) *memoryLayout {
	l := &memoryLayout{
		views:   make([]device.View, len(g.nodes)),
		owner:   make([]*Node, len(g.nodes)),
		regions: make([]region, len(g.nodes)),
		lastUse: make([]int, len(g.nodes)),
	}
	for _, n := range inputs { // also those that nothing reads: they are uploaded
		l.own(n)
	}
	for i, n := range order {
		layout, ok := n.op.(device.ViewOp)
		var view device.View
		if ok {
			view, ok = layout.View(l.views[n.inputs[0].id])
		}
		switch {
		case ok:
			l.views[n.id], l.owner[n.id] = view, l.owner[n.inputs[0].id]
		case n.kind == update:
			param := n.inputs[n.op.(device.Updater).Updates()[0]]
			l.views[n.id], l.owner[n.id] = l.views[param.id], param
		default:
			l.own(n)
		}
		l.lastUse[l.owner[n.id].id] = i
		for _, in := range n.inputs {
			l.lastUse[l.owner[in.id].id] = i
		}
	}
	for _, n := range g.outputs {
		l.lastUse[l.owner[n.id].id] = len(order)
	}
	expiring := make([][]*Node, len(order)+1)
	for _, n := range append(inputs[:len(inputs):len(inputs)], order...) {
		if reuse && l.owner[n.id] == n && (n.kind == operation || n.kind == input) {
			expiring[l.lastUse[n.id]] = append(expiring[l.lastUse[n.id]], n)
		}
	}
	for _, n := range inputs {
		l.regions[n.id] = l.arena.take(n.typ.Bytes())
	}
	for i, n := range order {
		var heir *Node
		if n.kind == operation && l.owner[n.id] == n {
			if heir = l.dying(n, expiring[i]); heir != nil {
				l.regions[n.id] = l.regions[heir.id]
			} else {
				l.regions[n.id] = l.arena.take(n.typ.Bytes())
			}
		}
		for _, dead := range expiring[i] {
			if dead != heir {
				l.arena.give(l.regions[dead.id])
			}
		}
	}
	return l
}

// largest returns the node that takes up most of the arena, nil if none does.
func (l *memoryLayout) largest() (largest *Node) {
	for id, r := range l.regions {
		if n := l.owner[id]; n != nil && r.size > 0 && (largest == nil || r.size > l.regions[largest.id].size) {
			largest = n
		}
	}
	return largest
}

// dying returns an input of n that dies with n and whose memory n can be computed
// in: n is element-wise, the types are the same, and no other input is another view of that memory.
func (l *memoryLayout) dying(n *Node, expiring []*Node) *Node {
	if _, ok := n.op.(device.Elementwise); !ok {
		return nil
	}
	for _, in := range n.inputs {
		if l.owner[in.id] == in && in.typ.Equal(n.typ) && slices.Contains(expiring, in) &&
			!slices.ContainsFunc(n.inputs, func(other *Node) bool { return other != in && l.owner[other.id] == in }) {
			return in
		}
	}
	return nil
}

// own gives the node contiguous memory of its own.
func (l *memoryLayout) own(n *Node) {
	l.views[n.id], l.owner[n.id] = device.Contiguous(nil, 0, n.typ), n
}

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
