package simd512

//go:generate go run -C _asm . -out ../loss_amd64.s -stubs ../loss_amd64.go -pkg simd512
