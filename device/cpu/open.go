package cpu

import (
	"runtime"
	"strconv"

	"github.com/pullback-go/pullback/device"
)

// maxThreads is the largest number of threads that may be asked for.
const maxThreads = 256

func init() { device.Register("cpu", open) }

// open opens the device: "cpu" or "cpu:0", with the options threads and simd.
func open(n device.Name) (device.Device, error) {
	if n.Instance != "" && n.Instance != "0" {
		return nil, n.Errorf("there is no CPU %q; omit the instance, or write cpu:0", n.Instance)
	}
	if err := n.OnlyOptions("simd", "threads"); err != nil {
		return nil, err
	}
	if simd, ok := n.Options["simd"]; ok && simd != "off" && simd != "auto" {
		return nil, n.Errorf("simd=%s is neither off nor auto", simd)
	}
	threads := min(runtime.GOMAXPROCS(0), maxThreads)
	if s, ok := n.Options["threads"]; ok {
		var err error
		if threads, err = strconv.Atoi(s); err != nil || threads < 1 || threads > maxThreads {
			return nil, n.Errorf("threads=%s is not a number from 1 to %d", s, maxThreads)
		}
	}
	return &cpu{name: n.String(), pool: newPool(threads), simd: n.Options["simd"] != "off" && vectorsAvailable()}, nil
}
