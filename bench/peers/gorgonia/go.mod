module github.com/pullback-go/pullback/bench/peers/gorgonia

go 1.25.0

require (
	go4.org/unsafe/assume-no-moving-gc v0.0.0-20231121144256-b99613f794b6
	gorgonia.org/gorgonia v0.9.18
	gorgonia.org/tensor v0.9.24
)
