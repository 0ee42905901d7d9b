package cpu

// blockSize is the number of elements that a kernel is given at a time: few
// enough for a block of every operand to lie in the fastest cache, and enough for
// the cost of the call not to matter.
const blockSize = 1024

const (
	slots     = 6             // an optimizer with all its state uses five
	slotBytes = 8 * blockSize // a block of float64
)

// scratch is the memory of one thread for what it works on.
type scratch = *threadMemory

type threadMemory struct {
	slots []byte // for blocks of blockSize elements
	rows  []byte // for bands, see transposed, and a block more
	bands [maxInputs]band
}

func newScratch() scratch {
	return &threadMemory{
		slots: align(make([]byte, slots*slotBytes+cacheLine-1)),
		rows:  align(make([]byte, bandBytes+slotBytes+cacheLine-1)),
	}
}

// slot returns the block of scratch with number i, as elements of type F.
func slot[F float](s scratch, i int) []F {
	return typed[F](s.slots[i*slotBytes:][:slotBytes])[:blockSize]
}

// blocks returns how many blocks n elements fall into.
func blocks(n int) int { return (n + blockSize - 1) / blockSize }

// blockAt returns where block b of n elements starts, and its length.
func blockAt(b, n int) (start, length int) {
	start = b * blockSize
	return start, min(blockSize, n-start)
}
