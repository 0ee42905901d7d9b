module github.com/pullback-go/pullback/bench/peers/spago

go 1.25.0

require (
	github.com/nlpodyssey/spago v1.1.0
	github.com/pullback-go/pullback/bench/peers/workload v0.0.0
)

require github.com/google/flatbuffers v23.5.26+incompatible // indirect

replace github.com/pullback-go/pullback/bench/peers/workload => ../workload
