package cpu

// transposed is how the elements of a tensor lie whose rows go across memory and whose
// columns go along it: matrices of so many rows and columns, one after the other.
//
// Read row by row, every element of it costs a cache line, which is gone before the next row
// needs it. So a band of many rows is transposed at a time, and blocks are taken from there.
type transposed struct {
	rows, columns           int // of a matrix
	matrixStride, colStride int
	height                  int // rows of a band
	pitch                   int // from row to row of a band
	tile                    int // rows that are transposed at once
	at                      int // in the scratch's memory for bands, in bytes
}

// band is the rows of a transposed tensor that are in the scratch, counted over all matrices.
type band struct{ first, end int }

const (
	// bandBytes are 64 rows of 1024 float32, padded: a good part of a second-level cache.
	bandBytes = 64 * (4*1024 + cacheLine)

	// lineRows is the least number of rows of a band: the float32s of a cache line.
	lineRows = 16

	// maxTile is the largest number of rows that are transposed at once. There are fewer where
	// their beginnings would not fit into a first-level cache of so many sets and ways at least.
	maxTile    = 64
	sets, ways = 64, 8
)

// newTransposed returns how a tensor lies of which a band has elements of type F and may take so
// many bytes, nil if it is not transposed, or too wide for a band.
func newTransposed[F float](l *layout, bytes int) *transposed {
	if l.rank < 2 || l.rank > 3 || l.strides[l.rank-2] != 1 || l.strides[l.rank-1] < lineRows || l.dims[l.rank-2] < lineRows {
		return nil
	}
	t := &transposed{rows: l.dims[l.rank-2], columns: l.dims[l.rank-1], colStride: l.strides[l.rank-1]}
	allRows := t.rows
	if l.rank == 3 {
		t.matrixStride = l.strides[0]
		allRows *= l.dims[0]
	}
	size := dtypeOf[F]().Size()
	t.pitch = t.columns
	if t.pitch*size%(sets*cacheLine) == 0 {
		t.pitch += cacheLine / size
	}
	spacing := t.pitch * size
	spacing &= -spacing // the power of two in it: rows begin in sets so far apart
	t.tile = min(maxTile, ways*sets*cacheLine/spacing)

	t.height = bytes / size / t.pitch / lineRows * lineRows
	const leastBands = 16 // for threads to share, unless they get very low
	t.height = min(t.height, t.rows, max(2*lineRows, allRows/leastBands/lineRows*lineRows))
	if t.height == 0 {
		return nil
	}
	return t
}

// shareBands divides the scratch's memory among the transposed ones of several inputs.
func shareBands[F float](inputs []operand[F]) {
	var across []*operand[F]
	for i := range inputs {
		if inputs[i].transposed != nil {
			across = append(across, &inputs[i])
		}
	}
	for i, o := range across {
		bytes := bandBytes / len(across) &^ (cacheLine - 1)
		if o.transposed = newTransposed[F](&o.layout, bytes); o.transposed != nil {
			o.transposed.at = i * bytes
		}
	}
}

// blockPhase returns the phase that runs f for every block of so many elements, the n from start on, at
// the given cost for one of them, after prepare. A part is a block, or as many as there
// are in a band of one of the inputs.
func blockPhase[F float](elements, cost int, inputs []operand[F], prepare func(scratch), f func(start, n int, workspace []byte, s scratch)) phase {
	all, grain := blocks(elements), 1
	for i := range inputs {
		if t := inputs[i].transposed; t != nil {
			grain = max(grain, t.height*t.columns/blockSize)
		}
	}
	return phase{parts: (all + grain - 1) / grain, cost: elements * cost, run: func(lo, hi int, workspace []byte, s scratch) {
		s.bands = [maxInputs]band{}
		prepare(s)
		for b := lo * grain; b < min(hi*grain, all); b++ {
			start, n := blockAt(b, elements)
			f(start, n, workspace, s)
		}
	}}
}

// bandBlock is [operand.block] for a transposed operand, the input with the given number.
func (o *operand[F]) bandBlock(input, start int, space []F, s scratch) []F {
	t, b := o.transposed, &s.bands[input]
	rows := typed[F](s.rows[t.at:])
	row, column := start/t.columns, start%t.columns
	for dst := space; len(dst) > 0; {
		if row < b.first || row >= b.end {
			*b = o.fill(rows, row, typed[F](s.rows[bandBytes:]))
		}
		run := t.columns - column
		if t.pitch == t.columns {
			run += (b.end - row - 1) * t.columns
		}
		piece := rows[(row-b.first)*t.pitch+column:][:min(run, len(dst))]
		if len(piece) == len(space) {
			return piece
		}
		dst = dst[copy(dst, piece):]
		column += len(piece)
		row, column = row+column/t.columns, column%t.columns
	}
	return space
}

// fill transposes rows to dst, the given one among them, and returns which. Space is for a block.
func (o *operand[F]) fill(dst []F, row int, space []F) band {
	t := o.transposed
	matrix := row / t.rows
	// From the start of a cache line, if the matrix starts at one.
	first := min(row%t.rows/lineRows*lineRows, t.rows-t.height)
	base := o.base + matrix*t.matrixStride + first
	for i := 0; i < t.height; i += t.tile {
		rows := min(t.tile, t.height-i)
		if o.flat != nil {
			o.transposeTo(dst[i*t.pitch:], t.pitch, o.flat[base+i:], t.colStride, rows, t.columns)
		} else {
			o.transposeTile(dst[i*t.pitch:], base+i, rows, space)
		}
	}
	first += matrix * t.rows
	return band{first, first + t.height}
}

// transposeTile transposes so many rows of elements of another type than F, of which the first
// lies at base. It reads a few columns at a time, along memory, to space.
func (o *operand[F]) transposeTile(dst []F, base, rows int, space []F) {
	t := o.transposed
	const most = blockSize / maxTile
	for j := 0; j < t.columns; j += most {
		columns := min(most, t.columns-j)
		for k := range columns {
			o.read(space[k*rows:][:rows], base+(j+k)*t.colStride, 1)
		}
		o.transposeTo(dst[j:], t.pitch, space, rows, rows, columns)
	}
}

// transpose copies src[i + j·stride] to dst[i·pitch + j].
func transpose[F float](dst []F, pitch int, src []F, stride, rows, columns int) {
	for j := range columns {
		for i, x := range src[j*stride:][:rows] {
			dst[i*pitch+j] = x
		}
	}
}
