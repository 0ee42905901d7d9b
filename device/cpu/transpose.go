package cpu

// transposed is an input of an element-wise operation whose rows lie across
// memory and whose columns lie along it. Read row by row every element costs a cache line, so
// it is first transposed into the workspace, tile by tile.
type transposed struct {
	src                      []float32
	matrices, matrixStride   int
	rows, columns, colStride int
	at                       int64 // in the workspace, in bytes
}

// tileRows is the number of rows, contiguous in the input's columns, of a tile: a cache line's.
const tileRows = 16

// transpose returns the operand as such an input, nil if it is not one or there are no kernels.
func (o *operand[F]) transpose() *transposed {
	l := &o.layout
	flat, ok := any(o.flat).([]float32)
	if !ok || flat == nil || l.rank < 2 || l.rank > 3 || l.strides[l.rank-2] != 1 || l.strides[l.rank-1] < tileRows {
		return nil
	}
	t := &transposed{src: flat[o.base:], matrices: 1, rows: l.dims[l.rank-2], columns: l.dims[l.rank-1], colStride: l.strides[l.rank-1]}
	if l.rank == 3 {
		t.matrices, t.matrixStride = l.dims[0], l.strides[0]
	}
	if t.rows < tileRows || t.columns%8 != 0 {
		return nil
	}
	return t
}

func (t *transposed) elements() int { return t.matrices * t.rows * t.columns }

// parts returns the number of tiles.
func (t *transposed) parts() int { return t.matrices * ((t.rows + tileRows - 1) / tileRows) }

// pack transposes tiles lo to hi.
func (t *transposed) pack(lo, hi int, workspace []byte, _ scratch) {
	tiles := t.parts() / t.matrices
	dst := typed[float32](workspace[t.at:])[:t.elements()]
	for part := lo; part < hi; part++ {
		matrix, row := part/tiles, part%tiles*tileRows
		rows := min(tileRows, t.rows-row)
		vectorTranspose(dst[(matrix*t.rows+row)*t.columns:][:rows*t.columns], t.src[matrix*t.matrixStride+row:], t.colStride, rows, t.columns)
	}
}
