package simd

//go:generate go run -C _asm ./cpuid -out ../cpuid_amd64.s -stubs ../cpuid_amd64.go -pkg simd
//go:generate go run -C _asm ./elementwise -out ../elementwise_amd64.s -stubs ../elementwise_amd64.go -pkg simd
//go:generate go run -C _asm ./loss -out ../loss_avx2_amd64.s -stubs ../loss_avx2_amd64.go -pkg simd
//go:generate go run -C _asm ./loss -avx512 -out ../loss_avx512_amd64.s -stubs ../loss_avx512_amd64.go -pkg simd
//go:generate go run -C _asm ./optimizer -out ../optimizer_amd64.s -stubs ../optimizer_amd64.go -pkg simd
