// Package faulty is a device that is wrong on purpose, for tests of what must notice
// it. It is the CPU device, opened as "faulty?ulp=3&op=MatMul": the first element of the outputs
// of the operation, or of all, is moved by so many units in the last place. With stray=on it
// writes behind the output's last element instead, and with dtypes=float32 it refuses the
// other dtypes. With lacks=MatMul it does not have the operation, with refuses=mean it refuses a mean soft margin
// loss as if that were wrong. With fused=on it fuses calls, and the ulps are those of the last output of fused
// calls only.
package faulty

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu" // what is right about it
	"github.com/pullback-go/pullback/device/devicetest"
)

func init() {
	device.Register("faulty", func(n device.Name) (device.Device, error) {
		dev, err := device.Open("cpu?threads=1")
		if err != nil {
			return nil, err
		}
		f := &faulty{Device: dev, name: n.String(), op: n.Options["op"], stray: n.Options["stray"] == "on"}
		if list := n.Options["dtypes"]; list != "" {
			f.dtypes = strings.Split(list, ",")
		}
		f.ulp, _ = strconv.ParseFloat(n.Options["ulp"], 64)
		f.lacks, f.refusesMean = n.Options["lacks"], n.Options["refuses"] == "mean"
		if n.Options["fused"] == "on" {
			return &fuser{f}, nil
		}
		return f, nil
	})
}

type faulty struct {
	device.Device
	name, op    string
	ulp         float64
	stray       bool
	dtypes      []string
	lacks       string
	refusesMean bool
}

func (f *faulty) Name() string { return f.name }

func (f *faulty) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	for _, v := range append(slices.Clone(inputs), output) {
		if v.Buffer != nil && f.dtypes != nil && !slices.Contains(f.dtypes, v.DType.String()) {
			return nil, &device.Error{Code: device.ErrParamInvalid, Op: op.Name(), Reason: "there is no " + v.DType.String()}
		}
	}
	switch {
	case f.lacks == op.Name():
		return nil, &device.Error{Code: device.ErrUnsupported, Op: op.Name(), Reason: "there is no such operation"}
	case f.refusesMean && op == device.SoftMarginLoss{Reduction: device.Mean}:
		return nil, &device.Error{Code: device.ErrParamInvalid, Op: op.Name(), Reason: "there is no mean"}
	}
	exe, err := f.Device.Plan(op, inputs, output)
	if err != nil || f.op != "" && f.op != op.Name() || slices.Contains(output.Shape, 0) {
		return exe, err
	}
	return &executor{exe, f, output}, nil
}

// fuser is right where calls are not fused.
type fuser struct{ *faulty }

func (f *fuser) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	return f.Device.Plan(op, inputs, output)
}

// PlanFused fuses calls by launching them one after the other.
func (f *fuser) PlanFused(calls []device.Call) (int, device.Executor, error) {
	exes := sequence{}
	for _, c := range calls {
		exe, err := f.Device.Plan(c.Op, c.Inputs, c.Output)
		if err != nil {
			return 0, nil, errors.Join(err, exes.Close())
		}
		exes = append(exes, exe)
	}
	last := calls[len(calls)-1].Output
	if slices.Contains(last.Shape, 0) {
		return len(calls), exes, nil
	}
	return len(calls), &executor{exes, f.faulty, last}, nil
}

type sequence []device.Executor

func (s sequence) WorkspaceSize() int64 {
	size := int64(0)
	for _, e := range s {
		size = max(size, e.WorkspaceSize())
	}
	return size
}

func (s sequence) Launch(workspace device.Buffer, stream device.Stream) error {
	for _, e := range s {
		if err := e.Launch(workspace, stream); err != nil {
			return err
		}
	}
	return nil
}

func (s sequence) Close() error {
	var errs []error
	for _, e := range s {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

type executor struct {
	device.Executor
	faulty *faulty
	output device.View
}

func (e *executor) Launch(workspace device.Buffer, stream device.Stream) error {
	if err := e.Executor.Launch(workspace, stream); err != nil {
		return err
	}
	d := e.output.DType
	data := make([]byte, e.output.Buffer.Size())
	if err := stream.Download(data, e.output.Buffer, 0); err != nil {
		return err
	}
	if e.faulty.stray {
		data[len(data)-1] ^= 1
	} else {
		element := data[e.output.Offset*d.Size():][:d.Size()]
		x := devicetest.Decode(element, d)[0]
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			x += e.faulty.ulp * devicetest.Unit(x, d)
		}
		copy(element, devicetest.Encode([]float64{x}, d))
	}
	return stream.Upload(e.output.Buffer, 0, data)
}
