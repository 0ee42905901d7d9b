package gemm

import "golang.org/x/sys/cpu"

//go:generate go run -C _asm . -out ../gemm_amd64.s -stubs ../gemm_amd64.go -pkg gemm

// available returns the kernels that this CPU can run, the fastest last.
func available() []*kernels {
	var k []*kernels
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		k = append(k, &avx2)
		if cpu.X86.HasAVX512F {
			k = append(k, &avx512)
		}
	}
	return k
}

var avx2 = kernels{
	name: "AVX2", lanes: 8, rows: 6,
	tiles8: tiles8AVX2, tiles2: tiles2AVX2, tiles2Partial: tiles2PartialAVX2, tiles1Partial: tiles1PartialAVX2,
	copy: copyPanelAVX2, transposed: transposePanelAVX2,
}

var avx512 = kernels{
	name: "AVX-512", lanes: 16, rows: 12,
	tiles8: tiles8AVX512, tiles2: tiles2AVX512, tiles2Partial: tiles2PartialAVX512, tiles1Partial: tiles1PartialAVX512,
	copy: copyPanelAVX2, transposed: transposePanelAVX2,
}
