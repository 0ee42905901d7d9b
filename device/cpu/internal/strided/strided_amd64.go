package strided

import "fmt"

//go:generate go run -C _asm . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg strided

// What there must be at least: Lanes elements of a gather and columns of a transposed matrix, and LeastRows rows.
const (
	Lanes     = 8
	LeastRows = 4
)

// Gather copies src[i·stride] to dst[i].
func Gather(dst, src []float32, stride int) {
	needGather(len(dst), len(src), stride)
	if stride == 2 {
		everySecond(dst, &src[0])
	} else {
		gatherFloat32(dst, &src[0], stride)
	}
}

// GatherFloat16 converts src[i·stride], a float16, to dst[i].
func GatherFloat16(dst []float32, src []uint16, stride int) {
	needGather(len(dst), len(src), stride)
	gatherFloat16(dst, &src[0], stride)
}

// GatherBFloat16 converts src[i·stride], a bfloat16, to dst[i].
func GatherBFloat16(dst []float32, src []uint16, stride int) {
	needGather(len(dst), len(src), stride)
	gatherBFloat16(dst, &src[0], stride)
}

func needGather(dst, src, stride int) {
	if dst < Lanes || stride < 1 {
		panic(fmt.Sprintf("strided: %d elements, %d apart", dst, stride))
	}
	need(src, (dst-1)*stride+1)
}

// Transpose copies a matrix of so many rows, and columns: src[i + j·stride] to
// dst[i·pitch + j]. The pitch is not less than the number of columns.
func Transpose(dst []float32, pitch int, src []float32, stride, rows, columns int) {
	if rows < LeastRows || columns < Lanes || pitch < columns || stride < 1 {
		panic(fmt.Sprintf("strided: a matrix of %d rows and %d columns, %d and %d apart", rows, columns, stride, pitch))
	}
	need(len(dst), (rows-1)*pitch+columns)
	need(len(src), (columns-1)*stride+rows)
	transpose(&dst[0], pitch, &src[0], stride, rows, columns)
}

// need panics if a slice is too short.
func need(have, want int) {
	if have < want {
		panic(fmt.Sprintf("strided: a slice has %d elements, and needs %d", have, want))
	}
}
