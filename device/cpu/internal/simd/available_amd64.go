package simd

import "golang.org/x/sys/cpu"

// Available reports whether the processor has the instructions that the kernels are
// made of, AVX2, FMA and F16C, and the operating system saves their registers. If not, no other
// function of the package may be called.
func Available() bool { return available }

const f16c = 1 << 29 // in features

var available = cpu.X86.HasAVX2 && cpu.X86.HasFMA && features()&f16c != 0
