module github.com/pullback-go/pullback/bench/peers/gomlx

go 1.26.0

require (
	github.com/gomlx/compute v0.1.2
	github.com/gomlx/gomlx v0.28.2
)
