module github.com/pullback-go/pullback/bench/peers/work

go 1.25.0
