package ascend

import (
	"fmt"
	"strconv"

	"github.com/pullback-go/pullback/device"
)

func init() { device.Register("ascend", open) }

// open opens ascend:N or ascend:sim.
func open(n device.Name) (device.Device, error) {
	if err := n.OnlyOptions("fallback", "loss", "path"); err != nil {
		return nil, err
	}
	d := &npu{name: n.String()}
	loss, stable := n.Options["loss"]
	if stable && loss != "stable" {
		return nil, n.Errorf("loss=%s is not stable, the only choice besides the vendor's own loss, which needs no option", loss)
	}
	d.stableLoss = stable
	fallback, fallsBack := n.Options["fallback"]
	if fallsBack && fallback != "cpu" {
		return nil, n.Errorf("fallback=%s is not cpu, the only device to fall back to", fallback)
	}
	path, hasPath := n.Options["path"]
	switch n.Instance {
	case "sim":
		if hasPath {
			return nil, n.Errorf("the simulator has no option path")
		}
		var err error
		if path, err = simulatorPath(); err != nil {
			return nil, fmt.Errorf("device %q: %w", n, err) // which is no failure of a device, and has no code
		}
	case "":
	default:
		number, err := strconv.ParseUint(n.Instance, 10, 31) // CANN's device numbers are int32
		if err != nil {
			return nil, n.Errorf("there is no NPU %q; write ascend:0 for the first, or ascend:sim for the simulator", n.Instance)
		}
		d.number = int(number)
	}
	if fallsBack {
		var err error
		if d.fallback, err = device.Open(fallback); err != nil {
			return nil, err
		}
	}
	if err := d.open(path); err != nil {
		if d.fallback != nil {
			_ = d.fallback.Close() // the first failure is the one to report
		}
		return nil, err
	}
	return d, nil
}
