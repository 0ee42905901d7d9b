// Command two_phase calls the gradient of the soft margin loss without a graph, the
// way CANN is called: phase one checks the call and sizes the workspace, phase two
// runs it on a stream. The values are those of the sample in CANN's documentation.
//
//	go run ./examples/two_phase
//	go run ./examples/two_phase -device ascend:sim
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/ascend"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

func main() {
	name := flag.String("device", "cpu", "`device` to run on, such as cpu or ascend:0")
	flag.Parse()
	if err := run(*name); err != nil {
		fmt.Fprintln(os.Stderr, "two_phase:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	dev, err := device.Open(name)
	if err != nil {
		return err
	}
	defer dev.Close()
	stream, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()

	matrix := device.Type{DType: device.Float32, Shape: []int{2, 2}}
	tensor := func(values ...float32) device.View {
		if err != nil {
			return device.View{}
		}
		var b device.Buffer
		if b, err = dev.Alloc(matrix.Bytes()); err != nil {
			return device.View{}
		}
		var bytes []byte
		for _, v := range values {
			bytes = binary.NativeEndian.AppendUint32(bytes, math.Float32bits(v))
		}
		err = stream.Upload(b, 0, bytes)
		return device.Contiguous(b, 0, matrix)
	}
	gradOutput := tensor(0, 1, 2, 3)
	self := tensor(0, 1, 2, 3)
	target := tensor(1, 1, 1, 1)
	gradInput := tensor()
	if err != nil {
		return err
	}

	// Phase one.
	workspaceSize, executor, err := softmarginloss.BackwardGetWorkspaceSize(dev, gradOutput, self, target, device.Mean, gradInput)
	if err != nil {
		return err
	}
	defer executor.Close()
	var workspace device.Buffer
	if workspaceSize > 0 {
		if workspace, err = dev.Alloc(workspaceSize); err != nil {
			return err
		}
		defer workspace.Free()
	}

	// Phase two. It returns before the work is done; Download waits for it.
	if err := executor.Launch(workspace, stream); err != nil {
		return err
	}
	bytes := make([]byte, matrix.Bytes())
	if err := stream.Download(bytes, gradInput.Buffer, 0); err != nil {
		return err
	}
	for i := 0; i < len(bytes); i += 4 {
		fmt.Printf("%.7g\n", math.Float32frombits(binary.NativeEndian.Uint32(bytes[i:])))
	}

	// A call that breaks a rule is refused in phase one, with CANN's code.
	_, _, err = softmarginloss.BackwardGetWorkspaceSize(dev, gradOutput, self, target, 7, gradInput)
	fmt.Println(err)
	return nil
}
