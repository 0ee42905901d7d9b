package simd512

import "golang.org/x/sys/cpu"

// Available reports whether the processor has the instructions that the kernels are made of,
// AVX-512 F, BW, DQ and VL, and BMI2, and the operating system saves their registers. If not, no other
// function of the package may be called.
func Available() bool { return available }

var available = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasBMI2
