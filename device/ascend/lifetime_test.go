package ascend_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// inTime runs f, or fails the test if it hangs.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.FailNow(t, "it hangs")
	}
}

// A failure of something queued reaches whatever waits for its stream first, and no
// other stream, and is reported once. What failed on the device ends the stream: all that
// is queued from there on fails as well.
func TestFailureIsReportedOnce(t *testing.T) {
	sim := requireSimulator(t)
	defer sim.setFaults("")
	data := make([]byte, 4)
	type setup struct {
		dev device.Device
		s   device.Stream
		x   device.View
	}
	reports := map[string]func(setup) error{
		"Synchronize":  func(u setup) error { return u.s.Synchronize() },
		"Download":     func(u setup) error { return u.s.Download(data, u.x.Buffer, 0) },
		"Stream.Close": func(u setup) error { return u.s.Close() },
		"Device.Close": func(u setup) error { return u.dev.Close() },
		"Upload": func(u setup) error { // waits when the pinned memory is full
			large, err := u.dev.Alloc(8 << 20)
			require.NoError(t, err)
			return u.s.Upload(large, 0, make([]byte, large.Size()))
		},
	}
	for fault, code := range map[string]device.Code{"launch=1": 507015, "task=1": 507015, "copy=1": 507899} {
		for report, call := range reports {
			t.Run(fault+"/"+report, func(t *testing.T) {
				dev := open(t, "ascend:sim")
				x, y := fill(t, dev, device.Float32, 1), fill(t, dev, device.Float32, 0)
				exe, err := dev.Plan(device.Neg{}, []device.View{x}, y)
				require.NoError(t, err)
				other, err := dev.NewStream()
				require.NoError(t, err)
				s, err := dev.NewStream()
				require.NoError(t, err)
				sim.setFaults(fault)
				if fault == "copy=1" {
					require.NoError(t, s.Upload(x.Buffer, 0, data))
				}
				require.NoError(t, exe.Launch(nil, s))
				require.NoError(t, exe.Launch(nil, s))
				require.NoError(t, exe.Close(), "not an executor's to report")
				require.NoError(t, other.Upload(x.Buffer, 0, data))
				require.NoError(t, other.Download(data, x.Buffer, 0))
				require.ErrorIs(t, call(setup{dev, s, x}), code)
				sim.setFaults("")
				switch {
				case report == "Device.Close" || report == "Stream.Close":
					require.NoError(t, s.Close())
				case fault == "task=1":
					require.NoError(t, s.Synchronize())
					require.NoError(t, s.Upload(x.Buffer, 0, data))
					require.ErrorIs(t, s.Synchronize(), code)
					require.ErrorIs(t, s.Download(data, x.Buffer, 0), code)
					require.NoError(t, s.Close())
				default:
					require.NoError(t, s.Synchronize())
					require.NoError(t, s.Upload(x.Buffer, 0, data))
					require.NoError(t, s.Download(data, x.Buffer, 0))
					require.NoError(t, s.Close())
				}
				require.NoError(t, dev.Close())
				sim.requireNothingLeft(t)
			})
		}
	}
}

// A closed device says so, whatever else is wrong with a call.
func TestClosedDevice(t *testing.T) {
	requireSimulator(t)
	for _, name := range []string{"ascend:sim", falling} {
		dev := open(t, name)
		x, y := fill(t, dev, device.Float32, 1, 2), fill(t, dev, device.Float32, 0, 0)
		plan := func(op device.Op, out device.View, in ...device.View) device.Executor {
			exe, err := dev.Plan(op, in, out)
			require.NoError(t, err)
			return exe
		}
		exes := map[string]device.Executor{"Launch": plan(device.Neg{}, y, x), "Launch of what is closed": plan(device.Neg{}, y, x)}
		require.NoError(t, exes["Launch of what is closed"].Close())
		if name == falling {
			exes["Launch on the CPU"] = plan(device.Dropout{P: 0.5}, y, x, x)
		}
		streams := map[string]device.Stream{}
		for _, which := range []string{" by a stream", " by a closed stream"} {
			s, err := dev.NewStream()
			require.NoError(t, err)
			streams[which] = s
		}
		require.NoError(t, streams[" by a closed stream"].Close())
		require.NoError(t, x.Buffer.Free())
		require.NoError(t, dev.Close())

		double := device.Contiguous(y.Buffer, 0, device.Type{DType: device.Float64, Shape: []int{1}})
		errs := map[string]error{}
		_, errs["Alloc"] = dev.Alloc(-4)
		_, errs["NewStream"] = dev.NewStream()
		_, errs["Plan on freed memory"] = dev.Plan(device.Neg{}, []device.View{x}, y)
		_, errs["Plan in float64"] = dev.Plan(device.Neg{}, []device.View{double}, double)
		_, errs["Plan of what may be missing"] = dev.Plan(device.Dropout{P: 0.5}, []device.View{y, y}, y)
		for which, exe := range exes {
			errs[which] = exe.Launch(nil, nil)
		}
		for which, s := range streams {
			errs["Upload"+which] = s.Upload(nil, -1, nil)
			errs["Download"+which] = s.Download(make([]byte, 100), x.Buffer, 0)
			errs["Synchronize"+which] = s.Synchronize()
		}
		for call, err := range errs {
			require.ErrorIs(t, err, device.ErrUninitialized, "%s: %s", name, call)
		}
		for _, exe := range exes {
			require.NoError(t, exe.Close())
		}
	}
}

// Close while other goroutines use the device in every way.
func TestCloseInUse(t *testing.T) {
	sim := requireSimulator(t)
	for range 20 {
		dev, err := device.Open("ascend:sim?fallback=cpu")
		require.NoError(t, err)
		var users sync.WaitGroup
		for range 6 {
			users.Go(func() {
				err := error(nil)
				for err == nil {
					err = useOnce(dev)
				}
				assert.ErrorIs(t, err, device.ErrUninitialized)
			})
		}
		var closers sync.WaitGroup
		inTime(t, func() {
			time.Sleep(3 * time.Millisecond)
			for range 3 {
				closers.Go(func() {
					assert.NoError(t, dev.Close())
					assert.Zero(t, sim.alive(), "Close returned before it was done")
				})
			}
			closers.Wait()
			users.Wait()
		})
		sim.requireNothingLeft(t)
	}
}

// useOnce makes one of everything that a device has, uses it, and takes it down.
func useOnce(dev device.Device) error {
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	var views [2]device.View
	for i := range views {
		b, err := dev.Alloc(40)
		if err != nil {
			return err
		}
		views[i] = device.Contiguous(b, 0, device.Type{DType: device.Float32, Shape: []int{2}})
	}
	x, y := views[0], views[1]
	var exes []device.Executor
	for _, call := range []device.Call{
		{Op: device.Neg{}, Inputs: []device.View{x}, Output: y},
		{Op: device.Dropout{P: 0.5}, Inputs: []device.View{x, x}, Output: y},
		{Op: device.GELU{}, Inputs: []device.View{x}, Output: y},
	} {
		exe, err := dev.Plan(call.Op, call.Inputs, call.Output)
		if err != nil {
			return err
		}
		exes = append(exes, exe)
	}
	for range 10 {
		if err := s.Upload(x.Buffer, 0, make([]byte, 8)); err != nil {
			return err
		}
		for _, exe := range exes {
			if err := exe.Launch(nil, s); err != nil {
				return err
			}
		}
		if err := s.Download(make([]byte, 8), y.Buffer, 0); err != nil {
			return err
		}
	}
	var errs []error
	for _, exe := range exes {
		errs = append(errs, exe.Close(), exe.Close())
	}
	errs = append(errs, s.Close(), s.Close())
	for _, v := range views {
		errs = append(errs, v.Buffer.Free())
	}
	return errors.Join(errs...)
}

// Whatever is closed first waits for the work that was queued with it, from pinned
// memory and temporaries on.
func TestCloseWhileQueued(t *testing.T) {
	sim := requireSimulator(t)
	defer sim.setFaults("")
	for name, end := range map[string]func(device.Device, device.Stream, device.Executor) error{
		"executor": func(_ device.Device, _ device.Stream, exe device.Executor) error { return exe.Close() },
		"stream":   func(_ device.Device, s device.Stream, _ device.Executor) error { return s.Close() },
		"device":   func(dev device.Device, _ device.Stream, _ device.Executor) error { return dev.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t, "ascend:sim")
			x, y := fill(t, dev, device.Float32, 0, 0), fill(t, dev, device.Float32, 0, 0)
			exe, err := dev.Plan(device.Softplus{}, []device.View{x}, y) // has temporaries
			require.NoError(t, err)
			s, err := dev.NewStream()
			require.NoError(t, err)
			sim.setFaults("stall=1")
			for i := range 10 {
				require.NoError(t, s.Upload(x.Buffer, 0, devicetest.Encode([]float64{1, float64(i)}, device.Float32)))
				require.NoError(t, exe.Launch(nil, s))
			}
			require.NoError(t, end(dev, s, exe))
			sim.setFaults("")
			if name != "device" {
				got := launch(t, dev, device.Copy{}, fill(t, dev, device.Float32, 0, 0), y)
				require.InDeltaSlice(t, []float32{1.3132616, 9.0001234}, got, 1e-6)
			}
			require.NoError(t, exe.Close())
			require.NoError(t, s.Close())
			require.NoError(t, dev.Close())
			sim.requireNothingLeft(t)
		})
	}
}
