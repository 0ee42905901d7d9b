package machine

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// simdLevel names the widest vector instructions that the processor and the system allow.
func simdLevel() string {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return "AVX-512"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "AVX2 and FMA"
	case cpu.X86.HasAVX:
		return "AVX"
	case cpu.X86.HasSSE41:
		return "SSE4.1"
	case cpu.ARM64.HasSVE:
		return "SVE"
	case cpu.ARM64.HasASIMD:
		return "NEON"
	case runtime.GOARCH == "amd64":
		return "SSE2"
	}
	return "none known"
}
