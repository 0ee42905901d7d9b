module github.com/pullback-go/pullback/bench/peers/workload

go 1.25.0
