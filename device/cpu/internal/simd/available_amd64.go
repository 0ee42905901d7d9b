package simd

import "golang.org/x/sys/cpu"

// Available reports whether the processor has the instructions that the kernels are
// made of, AVX2, FMA and F16C, and the operating system saves their registers. If not, no other
// function of the package may be called.
func Available() bool { return available }

const f16c = 1 << 29 // in features

var available = cpu.X86.HasAVX2 && cpu.X86.HasFMA && features()&f16c != 0

// avx512 says the same of the AVX-512 kernels, which are made of F, BW, DQ and VL, and BMI2.
var avx512 = available && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasBMI2
