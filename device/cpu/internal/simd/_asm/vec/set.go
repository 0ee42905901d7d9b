package vec

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Set is an instruction set.
type Set int

const (
	AVX2   Set = iota // with FMA and F16C: 16 registers of eight float32
	AVX512            // F, BW, DQ and VL, and BMI2: 32 registers of sixteen, and masks
)

func (s Set) String() string { return [...]string{"AVX2", "AVX512"}[s] }

// set is what the functions here emit.
var set Set

// Use has what follows emitted for an instruction set.
func Use(s Set) { set = s }

// Lanes returns the number of float32 in a vector.
func Lanes() int { return [...]int{8, 16}[set] }

// register returns a fresh one for a vector.
func register() reg.VecVirtual {
	if set == AVX512 {
		return build.ZMM()
	}
	return build.YMM()
}
