// Package devicetest is the conformance suite that every device must pass.
//
// A device package calls it from a test:
//
//	func TestConformance(t *testing.T) { devicetest.Run(t, "cpu?threads=3", devicetest.Options{}) }
//
// The suite knows nothing of how a device works. For every operation of package
// device there is one row in a table: the calls to make, the values to make them
// with, and a reference written in float64 from the formula in the operation's
// documentation. The suite runs each row in every dtype and memory layout, and
// asks of every launch that
//
//   - each element of the output is as near to the reference as the row demands;
//   - nothing else changed: not the inputs, not the memory before, behind and
//     between the elements of the output;
//   - a second launch gives the same bits.
//
// Besides, it holds a device to the contract of phase one (bad calls are refused
// with the right code, name the argument at fault, and write nothing) and of
// streams, buffers and executors.
//
// # Errors allowed
//
// An operation on float32, float16 and bfloat16 is computed in float32 and then
// rounded to the dtype of the output. A row therefore states one number, the
// error of the float32 result in units in the last place (ulp): 0.5 for an
// operation that IEEE 754 rounds correctly. A narrower output is rounded from a
// float32 within that distance. Where terms cancel, the ulp is that of the
// terms, not of the result.
package devicetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// Options states what a device lacks. The zero value asks for everything.
type Options struct {
	// DTypes lists the dtypes that the device has, all four if it is empty. The
	// suite checks that it refuses the others with [device.ErrParamInvalid].
	DTypes []device.DType

	// Without lists operations, by name, that the device does not have. The suite
	// checks that it refuses them with [device.ErrUnsupported].
	Without []string

	// Only lists the operations to check, all of them and the rest of the contract if
	// it is empty. It is for a variant of a device that has been checked as a whole.
	Only []string

	// ULP gives, by the operation's name, the error to allow in float32 where the
	// device cannot keep to the one that the suite allows.
	ULP map[string]float64
}

func (o Options) has(d device.DType) bool { return len(o.DTypes) == 0 || slices.Contains(o.DTypes, d) }

// Run opens the device by name and runs the suite on it, one subtest for each
// operation and each part of the contract.
func Run(t *testing.T, name string, o Options) {
	dev, err := device.Open(name)
	require.NoError(t, err)
	for _, c := range checks(o) {
		t.Run(c.name, func(t *testing.T) { c.run(t, dev) })
	}
	require.NoError(t, dev.Close())
}

// RunSame opens two devices and makes every call of the table on both: the
// outputs must be the same bits. It is for devices that differ in what must not
// matter, such as the number of threads.
func RunSame(t *testing.T, name1, name2 string, o Options) {
	var devs [2]device.Device
	for i, name := range []string{name1, name2} {
		dev, err := device.Open(name)
		require.NoError(t, err)
		devs[i] = dev
	}
	for _, c := range cases() {
		if !slices.Contains(o.Without, c.name()) {
			t.Run(c.name(), func(t *testing.T) { c.checkSame(t, devs[0], devs[1], o) })
		}
	}
	for _, dev := range devs {
		require.NoError(t, dev.Close())
	}
}

// check is one part of the suite.
type check struct {
	name string
	run  func(t require.TestingT, dev device.Device)
}

// checks returns the whole suite.
func checks(o Options) []check {
	var list []check
	for _, c := range cases() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, c.name()) {
			continue
		}
		list = append(list, check{c.name(), func(t require.TestingT, dev device.Device) { c.check(t, dev, o) }})
	}
	if len(o.Only) > 0 {
		return list
	}
	for _, part := range []struct {
		name string
		run  func(f *fixture)
	}{
		{"LossesAreFinite", checkLossesAreFinite},
		{"DropoutMask", checkDropoutMask},
		{"PhaseOne", checkPhaseOne},
		{"Unsupported", checkUnsupported},
		{"UploadDownload", checkUploadDownload},
		{"StreamOrder", checkStreamOrder},
		{"Workspace", checkWorkspace},
		{"LaunchAllocatesNothing", checkAllocations},
		{"SharedBuffer", checkSharedBuffer},
		{"Goroutines", checkGoroutines},
		{"UseAfterClose", checkUseAfterClose},
		{"OtherDevice", checkOtherDevice},
	} {
		list = append(list, check{part.name, func(t require.TestingT, dev device.Device) {
			f := newFixture(t, dev, o)
			defer f.close()
			part.run(f)
		}})
	}
	return list
}
