package cpu

import "github.com/pullback-go/pullback/device"

// The order of every sum is fixed. The terms of one output, in row-major order,
// are cut into blocks of blockSize. A block is summed in eight lanes of float64,
// term i going to lane i modulo 8, and the lanes are added in pairs. The sums of the
// blocks are added in order. Two ways lead there, which agree to the bit:
//
//	along    sum runs along the terms of one output;
//	across   addRow adds a row of terms, one for each of many outputs, to accumulators.

// lanes is the number of interleaved sums in a block: enough for their additions
// to overlap, and for a vector register or two.
const lanes = 8

// addLanes adds up the lanes of a block.
func addLanes(l *[lanes]float64) float64 {
	return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

// sum adds up a block.
func sum[F float](x []F) float64 {
	var l0, l1, l2, l3, l4, l5, l6, l7 float64
	for len(x) >= lanes {
		l0 += float64(x[0])
		l1 += float64(x[1])
		l2 += float64(x[2])
		l3 += float64(x[3])
		l4 += float64(x[4])
		l5 += float64(x[5])
		l6 += float64(x[6])
		l7 += float64(x[7])
		x = x[lanes:]
	}
	l := [lanes]float64{l0, l1, l2, l3, l4, l5, l6, l7}
	for i, v := range x {
		l[i] += float64(v)
	}
	return addLanes(&l)
}

// addRow adds a row of terms to the accumulators of their lane.
func addRow[F float](lane []float64, row []F) {
	lane = lane[:len(row)]
	for i, v := range row {
		lane[i] += float64(v)
	}
}

// sums are the two ways to sum up.
type sums[F float] struct {
	block  func(x []F) float64
	addRow func(lane []float64, row []F)
}

func plainSums[F float]() sums[F] { return sums[F]{sum[F], addRow[F]} }

// reduceWidth is the number of outputs that are summed together: their
// accumulators fill one slot of scratch.
const reduceWidth = blockSize / lanes

// Slots of scratch in a reduction.
const (
	inputSlot       = 0 // terms of the input
	sumSlot         = 4 // sums of some outputs, in float64
	accumulatorSlot = 5 // lanes of some outputs, in float64
)

// reduction sums a tensor over some of its axes.
type reduction[F float] struct {
	sums[F]
	memory[F]
	base          int
	kept, reduced layout // of the two groups of axes
	outputs       int    // elements of kept
	terms         int    // elements of reduced
}

// planReduce sums the input over axes, and divides by the number of terms for a mean.
func planReduce[F float](by sums[F], axes device.AxisSet, mean bool, input, output device.View) *program {
	var kept, reduced device.View
	for i, d := range input.Shape {
		group := &kept
		if axes.Contains(i) {
			group = &reduced
		}
		group.Shape = append(group.Shape, d)
		group.Strides = append(group.Strides, input.Strides[i])
	}
	r := &reduction[F]{sums: by, base: input.Offset, outputs: device.Elements(kept.Shape), terms: device.Elements(reduced.Shape)}
	t := newTotals[F](r.outputs, r.terms, mean, output)
	if r.outputs == 0 || r.terms == 0 {
		return t.plan(phase{})
	}
	r.memory = newMemory[F](input)
	r.kept, r.reduced = newLayout(kept.Shape, kept.Strides), newLayout(reduced.Shape, reduced.Strides)
	sumTile := r.along
	if r.rowsAreBetter() {
		sumTile = r.across
	}
	// A part is a tile: one block of terms of up to reduceWidth outputs.
	tiles := (r.outputs + reduceWidth - 1) / reduceWidth
	return t.plan(phase{parts: t.blocks * tiles, cost: r.outputs * r.terms, run: func(lo, hi int, workspace []byte, s scratch) {
		for part := lo; part < hi; part++ {
			first, b := part%tiles*reduceWidth, part/tiles
			sums := slot[float64](s, sumSlot)[:min(reduceWidth, r.outputs-first)]
			start, n := blockAt(b, r.terms)
			sumTile(sums, first, start, n, s)
			t.put(first, b, sums, workspace, s)
		}
	}})
}

// rowsAreBetter chooses between across and along: rows must be long enough to pay
// for a call each, and lie closer together than the terms of an output do, or
// those must be very few.
func (r *reduction[F]) rowsAreBetter() bool {
	_, keptStride := r.kept.row()
	_, reducedStride := r.reduced.row()
	return r.outputs >= 8 && (r.terms < 8 || keptStride < reducedStride)
}

// along sums n terms from start on of each output from first on.
func (r *reduction[F]) along(sums []float64, first, start, n int, s scratch) {
	space := slot[F](s, inputSlot)[:n]
	for i := range sums {
		sums[i] = r.sums.block(r.load(&r.reduced, r.base+r.kept.at(first+i), start, space))
	}
}

// across does the same row by row.
func (r *reduction[F]) across(sums []float64, first, start, n int, s scratch) {
	space := slot[F](s, inputSlot)[:len(sums)]
	width, used := len(sums), min(n, lanes)
	accumulators := slot[float64](s, accumulatorSlot)[:used*width]
	clear(accumulators)
	if rows := r.adjacentRows(width, start, n); rows != nil {
		for ; len(rows) > len(accumulators); rows = rows[len(accumulators):] {
			r.addRow(accumulators, rows[:len(accumulators)]) // a row for each lane
		}
		r.addRow(accumulators[:len(rows)], rows)
	} else {
		for i := range n {
			row := r.load(&r.kept, r.base+r.reduced.at(start+i), first, space)
			r.addRow(accumulators[i%lanes*width:][:width], row)
		}
	}
	for i := range sums {
		var l [lanes]float64
		for j := range used {
			l[j] = accumulators[j*width+i]
		}
		sums[i] = addLanes(&l)
	}
}

// adjacentRows returns n rows of all outputs from term start on, if they lie one after the
// other as elements of F, else nil.
func (r *reduction[F]) adjacentRows(width, start, n int) []F {
	if r.flat == nil || width != r.outputs || !r.kept.contiguous() || r.reduced.rank != 1 || r.reduced.strides[0] != width {
		return nil
	}
	return r.flat[r.base+start*width:][:n*width]
}

// addUp adds up numbers in their order.
func addUp(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}

// totals adds up the sums of blocks, and stores the results.
type totals[F float] struct {
	outputs, blocks int
	divisor         float64 // the number of terms for a mean, 1 for a sum
	output          operand[F]
}

func newTotals[F float](outputs, terms int, mean bool, output device.View) *totals[F] {
	t := &totals[F]{outputs: outputs, blocks: blocks(terms), divisor: 1}
	if mean {
		t.divisor = float64(terms)
	}
	if outputs > 0 {
		t.output = newOperand[F](output)
	}
	return t
}

// plan returns the phases of a reduction, of which the first is to put the sums of all blocks.
func (t *totals[F]) plan(sums phase) *program {
	switch {
	case t.outputs == 0:
		return &program{}
	case t.blocks == 1:
		return &program{phases: []phase{sums}}
	}
	add := phase{parts: blocks(t.outputs), cost: t.blocks * t.outputs, run: func(lo, hi int, workspace []byte, s scratch) {
		partials := typed[float64](workspace)
		for part := lo; part < hi; part++ {
			first, n := blockAt(part, t.outputs)
			total := slot[float64](s, sumSlot)[:n]
			clear(total)
			if t.outputs == 1 {
				total[0] = addUp(partials[:t.blocks])
			} else {
				for b := range t.blocks {
					addRow(total, partials[b*t.outputs+first:][:n])
				}
			}
			t.finish(first, total, s)
		}
	}}
	if t.blocks == 0 {
		return &program{phases: []phase{add}} // the sum of nothing is 0, and the mean 0/0
	}
	return &program{phases: []phase{sums, add}, workspace: int64(t.blocks) * int64(t.outputs) * 8}
}

// put takes the sums of block b of the outputs from first on. The workspace holds
// them, unless there is only one block and they are the totals.
func (t *totals[F]) put(first, b int, sums []float64, workspace []byte, s scratch) {
	if t.blocks == 1 {
		t.finish(first, sums, s)
		return
	}
	copy(typed[float64](workspace)[b*t.outputs+first:], sums)
}

// finish stores the totals of the outputs from first on.
func (t *totals[F]) finish(first int, total []float64, s scratch) {
	dst := t.output.target(first, slot[F](s, outputSlot)[:len(total)])
	for i, x := range total {
		dst[i] = F(x / t.divisor)
	}
	t.output.store(first, dst)
}
