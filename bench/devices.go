package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/ascend"
	_ "github.com/pullback-go/pullback/device/cpu" // a driver for each device that can be measured
)

// defaultDevices are measured where -devices names none, as far as their drivers are there.
var defaultDevices = []string{"cpu", "cpu?simd=off", "cpu?threads=1", "ascend:0", "ascend:sim"}

// openDevices opens the devices that a list separated by commas names, or the default ones. Of
// those that were not asked for by name it returns why they cannot be opened.
func openDevices(list string) (devices []device.Device, unavailable []string, err error) {
	names, named := strings.Split(list, ","), list != ""
	if !named {
		names = slices.DeleteFunc(slices.Clone(defaultDevices), func(name string) bool {
			n, err := device.ParseName(name)
			return err != nil || !slices.Contains(device.Drivers(), n.Driver)
		})
	}
	for _, name := range names {
		dev, err := device.Open(strings.TrimSpace(name))
		switch {
		case err == nil && slices.ContainsFunc(devices, func(d device.Device) bool { return d.Name() == dev.Name() }):
			return nil, nil, errors.Join(fmt.Errorf("the device %s is named twice", dev.Name()), dev.Close(), closeDevices(devices))
		case err == nil:
			devices = append(devices, dev)
		case named:
			return nil, nil, errors.Join(err, closeDevices(devices))
		default:
			reason, _, _ := strings.Cut(err.Error(), "; tried: ") // nobody asked for it, so the short form does
			unavailable = append(unavailable, fmt.Sprintf("%s: %s", name, reason))
		}
	}
	if len(devices) == 0 {
		return nil, nil, fmt.Errorf("no device can be opened: %s", strings.Join(unavailable, "; "))
	}
	return devices, unavailable, nil
}

func closeDevices(devices []device.Device) error {
	var errs []error
	for _, d := range devices {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}
