// Package faulty is a device that is wrong on purpose, for tests of what must notice
// it. It is the CPU device, opened as "faulty?ulp=3&op=MatMul": the first element of the outputs
// of the operation, or of all, is moved by so many units in the last place. With stray=on it
// writes behind the output's last element instead, and with dtypes=float32 it refuses the
// other dtypes.
package faulty

import (
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
		return f, nil
	})
}

type faulty struct {
	device.Device
	name, op string
	ulp      float64
	stray    bool
	dtypes   []string
}

func (f *faulty) Name() string { return f.name }

func (f *faulty) Plan(op device.Op, inputs []device.View, output device.View) (device.Executor, error) {
	for _, v := range append(slices.Clone(inputs), output) {
		if v.Buffer != nil && f.dtypes != nil && !slices.Contains(f.dtypes, v.DType.String()) {
			return nil, &device.Error{Code: device.ErrParamInvalid, Op: op.Name(), Reason: "there is no " + v.DType.String()}
		}
	}
	exe, err := f.Device.Plan(op, inputs, output)
	if err != nil || f.op != "" && f.op != op.Name() || slices.Contains(output.Shape, 0) {
		return exe, err
	}
	return &executor{exe, f, output}, nil
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
