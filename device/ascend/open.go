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
	if loss, ok := n.Options["loss"]; ok {
		if loss != "stable" && loss != "vendor" {
			return nil, openErrorf(n, "loss=%s is neither stable nor vendor", loss)
		}
		d.stableLoss = loss == "stable"
	}
	path := n.Options["path"]
	switch n.Instance {
	case "sim":
		if path != "" {
			return nil, openErrorf(n, "the simulator has no option path")
		}
		dir, err := simulatorPath()
		if err != nil {
			return nil, openErrorf(n, "%v", err)
		}
		path = dir
	case "":
	default:
		var err error
		if d.number, err = strconv.Atoi(n.Instance); err != nil || d.number < 0 {
			return nil, openErrorf(n, "there is no NPU %q; write ascend:0 for the first, or ascend:sim for the simulator", n.Instance)
		}
	}
	if fallback, ok := n.Options["fallback"]; ok {
		if fallback != "cpu" {
			return nil, openErrorf(n, "fallback=%s is not cpu, the only device to fall back to", fallback)
		}
		var err error
		if d.fallback, err = device.Open("cpu"); err != nil {
			return nil, err
		}
	}
	if err := d.open(path); err != nil {
		if d.fallback != nil {
			d.fallback.Close()
		}
		return nil, err
	}
	return d, nil
}

func openErrorf(n device.Name, format string, args ...any) error {
	return &device.Error{Code: device.ErrInvalidDevice, Op: "Open", Arg: fmt.Sprintf("device %q", n), Reason: fmt.Sprintf(format, args...)}
}
