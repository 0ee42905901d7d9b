package measure

import (
	"bytes"
	"errors"
	"math"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/device"
)

// Instance is a point made ready on a device.
type Instance struct {
	// Traffic is how many bytes an operation must move at least; 0 for train_step.
	Traffic float64

	dev       device.Device
	stream    device.Stream
	closers   []func() error
	scheduler *scheduler // that watches while samples are taken

	once func() error // one operation, on the next copy

	// check returns the largest error of the first operation, and whether it is more than it may be.
	check func(k *checker) (ulp float64, wrong bool, err error)
}

// Close frees everything, in the reverse order of its making.
func (x *Instance) Close() error {
	var errs []error
	for i := len(x.closers) - 1; i >= 0; i-- {
		errs = append(errs, x.closers[i]())
	}
	return errors.Join(errs...)
}

// Run makes n operations, on one copy of the tensors after the other, and waits for them.
func (x *Instance) Run(n int) error {
	for range n {
		if err := x.once(); err != nil {
			return err
		}
	}
	return x.stream.Synchronize()
}

// Start makes the point ready. lastLevelCache decides how many copies of its tensors go round.
func Start(p Point, dev device.Device, lastLevelCache int) (*Instance, error) {
	stream, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	x := &Instance{dev: dev, stream: stream, closers: []func() error{stream.Close}}
	switch p.Op {
	case TrainStep:
		err = x.train(p)
	case Upload, Download:
		err = x.transfer(p, lastLevelCache)
	default:
		err = x.launch(p, lastLevelCache)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// copies is how many copies of n elements in size bytes go round.
func copies(n, size, lastLevelCache int) int {
	if size > lastLevelCache/2 {
		return (2*lastLevelCache + size - 1) / size
	}
	return max(1, (1<<14)/n)
}

func (x *Instance) alloc(size int) (device.Buffer, error) {
	b, err := x.dev.Alloc(int64(max(size, 1)))
	if err == nil {
		x.closers = append(x.closers, b.Free)
	}
	return b, err
}

// launch makes an operation ready.
func (x *Instance) launch(p Point, lastLevelCache int) error {
	first := p.Calls(0)
	x.Traffic = traffic(first)
	var launches [][]device.Executor
	var results []device.View // of the first copy
	var workspaceSize int64
	for k := range copies(p.N, footprint(first), lastLevelCache) {
		list := first
		if k > 0 {
			list = p.Calls(k)
		}
		planned, err := x.views(list)
		if err != nil {
			return err
		}
		if k == 0 {
			for _, c := range planned {
				results = append(results, c.Output)
			}
		}
		executors, err := calls.Plan(x.dev, planned)
		if err != nil {
			return err
		}
		for _, e := range executors {
			x.closers = append(x.closers, e.Close)
		}
		for _, e := range executors {
			workspaceSize = max(workspaceSize, e.WorkspaceSize())
		}
		launches = append(launches, executors)
	}
	workspace, err := x.alloc(int(workspaceSize))
	if err != nil {
		return err
	}
	next := 0
	x.once = func() error {
		executors := launches[next]
		if next++; next == len(launches) {
			next = 0
		}
		for _, e := range executors {
			if err := e.Launch(workspace, x.stream); err != nil {
				return err
			}
		}
		return nil
	}
	x.check = func(k *checker) (ulp float64, wrong bool, err error) {
		outputs := make([][]byte, len(first))
		for i, c := range first {
			outputs[i] = make([]byte, len(c.Result().Data))
			if err := x.stream.Download(outputs[i], results[i].Buffer, 0); err != nil {
				return 0, false, err
			}
		}
		return k.check(p, first, outputs)
	}
	return nil
}

// views uploads the operands of calls; tensors that several have in common once.
func (x *Instance) views(list []calls.Call) ([]device.Call, error) {
	buffers := map[*byte]device.Buffer{}
	view := func(t calls.Tensor) (device.View, error) {
		b := buffers[&t.Data[0]]
		if b == nil {
			var err error
			if b, err = x.alloc(len(t.Data)); err != nil {
				return device.View{}, err
			}
			if err = x.stream.Upload(b, 0, t.Data); err != nil {
				return device.View{}, err
			}
			buffers[&t.Data[0]] = b
		}
		return device.View{Buffer: b, DType: t.DType, Shape: t.Shape, Strides: t.Strides, Offset: t.Offset}, nil
	}
	planned := make([]device.Call, len(list))
	for i, c := range list {
		planned[i].Op = c.Op
		for _, t := range c.Inputs {
			v, err := view(t)
			if err != nil {
				return nil, err
			}
			planned[i].Inputs = append(planned[i].Inputs, v)
		}
		var err error
		if planned[i].Output, err = view(c.Result()); err != nil {
			return nil, err
		}
	}
	return planned, nil
}

// transfer makes an upload or a download ready.
func (x *Instance) transfer(p Point, lastLevelCache int) error {
	size := p.N * p.DType.Size()
	x.Traffic = float64(size)
	type pair struct {
		host []byte
		dev  device.Buffer
	}
	var pairs []pair
	for k := range copies(p.N, 2*size, lastLevelCache) {
		b, err := x.alloc(size)
		if err != nil {
			return err
		}
		host := draw(scores, p.DType, p.N, k)
		if err := x.stream.Upload(b, 0, host); err != nil {
			return err
		}
		if p.Op == Download {
			clear(host)
		}
		pairs = append(pairs, pair{host, b})
	}
	next := 0
	x.once = func() error {
		t := pairs[next]
		if next++; next == len(pairs) {
			next = 0
		}
		if p.Op == Upload {
			return x.stream.Upload(t.dev, 0, t.host)
		}
		return x.stream.Download(t.host, t.dev, 0)
	}
	x.check = func(*checker) (ulp float64, wrong bool, err error) { // all bits must arrive
		now := make([]byte, size)
		if err := x.stream.Download(now, pairs[0].dev, 0); err != nil {
			return 0, false, err
		}
		if !bytes.Equal(now, pairs[0].host) || !bytes.Equal(now, draw(scores, p.DType, p.N, 0)) {
			return math.Inf(1), true, nil
		}
		return 0, false, nil
	}
	return nil
}
