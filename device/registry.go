package device

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Name is a parsed device name: a driver, an instance of it, and options, as in
// "cpu", "ascend:0" or "cpu?threads=2&simd=off".
type Name struct {
	Driver   string            // before the colon: "cpu"
	Instance string            // after it: "0"; empty if there is no colon
	Options  map[string]string // after the question mark
}

// ParseName parses DRIVER[:INSTANCE][?KEY=VALUE[&KEY=VALUE…]].
func ParseName(s string) (Name, error) {
	id, query, _ := strings.Cut(s, "?")
	written := Name{Driver: s} // for errors, which show the name as it was written
	n := Name{Options: map[string]string{}}
	n.Driver, n.Instance, _ = strings.Cut(id, ":")
	if n.Driver == "" {
		return Name{}, written.Errorf("the name of a driver is missing; a device name is like cpu, cpu?threads=2 or ascend:0")
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return Name{}, written.Errorf("the options after ? cannot be read: %v; write them as key=value&key=value", err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) { // of several mistakes always the same
		list := values[key]
		switch {
		case key == "":
			return Name{}, written.Errorf("an option has no key; write options as key=value&key=value")
		case len(list) > 1:
			return Name{}, written.Errorf("option %q is given %d times; give it once", key, len(list))
		}
		n.Options[key] = list[0]
	}
	return n, nil
}

// String returns the name in its canonical form, options in order of their keys.
func (n Name) String() string {
	s := n.Driver
	if n.Instance != "" {
		s += ":" + n.Instance
	}
	for i, key := range slices.Sorted(maps.Keys(n.Options)) {
		s += string("?&"[min(i, 1)]) + url.QueryEscape(key) + "=" + url.QueryEscape(n.Options[key])
	}
	return s
}

// OnlyOptions returns an error if the name has an option that is not in known.
func (n Name) OnlyOptions(known ...string) error {
	for _, key := range slices.Sorted(maps.Keys(n.Options)) {
		if !slices.Contains(known, key) {
			has := "none"
			if len(known) > 0 {
				has = strings.Join(known, ", ")
			}
			return n.Errorf("there is no option %q; %s has %s", key, n.Driver, has)
		}
	}
	return nil
}

// Errorf returns the error with which a driver refuses to open a device of the name, an [ErrInvalidDevice].
func (n Name) Errorf(format string, args ...any) error {
	return errorf(ErrInvalidDevice, "Open", fmt.Sprintf("device %q", n), format, args...)
}

var registry = struct {
	sync.Mutex
	drivers map[string]func(Name) (Device, error)
}{drivers: map[string]func(Name) (Device, error){}}

// Register makes a driver available to [Open]. A device package calls it from
// its init; it panics if the driver is registered twice.
func Register(driver string, open func(Name) (Device, error)) {
	registry.Lock()
	defer registry.Unlock()
	if _, dup := registry.drivers[driver]; dup {
		panic("device: Register called twice for driver " + driver)
	}
	registry.drivers[driver] = open
}

// Drivers returns the names of the registered drivers in order.
func Drivers() []string {
	registry.Lock()
	defer registry.Unlock()
	return slices.Sorted(maps.Keys(registry.drivers))
}

// Open opens the device with the given name, see [ParseName]. The driver's
// package must be imported: import _ "github.com/pullback-go/pullback/device/cpu".
// An unknown driver, instance or option is [ErrInvalidDevice].
func Open(name string) (Device, error) {
	n, err := ParseName(name)
	if err != nil {
		return nil, err
	}
	registry.Lock()
	open := registry.drivers[n.Driver]
	registry.Unlock()
	if open == nil {
		known := "none is; import a device package such as github.com/pullback-go/pullback/device/cpu"
		if drivers := Drivers(); len(drivers) > 0 {
			known = "there is " + strings.Join(drivers, ", ")
		}
		return nil, n.Errorf("no driver %q is registered; %s", n.Driver, known)
	}
	return open(n)
}
