package device_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
)

func TestParseName(t *testing.T) {
	type options = map[string]string
	for _, test := range []struct {
		name, driver, instance string
		options                options
		canonical              string
	}{
		{"cpu", "cpu", "", options{}, "cpu"},
		{"ascend:0", "ascend", "0", options{}, "ascend:0"},
		{"ascend:sim", "ascend", "sim", options{}, "ascend:sim"},
		{"cpu?threads=2&simd=off", "cpu", "", options{"threads": "2", "simd": "off"}, "cpu?simd=off&threads=2"},
		{"a:b?c=d", "a", "b", options{"c": "d"}, "a:b?c=d"},
		{"cpu:", "cpu", "", options{}, "cpu"},
		{"cpu?", "cpu", "", options{}, "cpu"},
		{"cpu?flag", "cpu", "", options{"flag": ""}, "cpu?flag="},
		{"a:b:c", "a", "b:c", options{}, "a:b:c"},
		{"sim?library=%2Fopt%2Facl+1&x=a%26b", "sim", "", options{"library": "/opt/acl 1", "x": "a&b"}, "sim?library=%2Fopt%2Facl+1&x=a%26b"},
		{"a?b=c?d=e", "a", "", options{"b": "c?d=e"}, "a?b=c%3Fd%3De"},
		{"a?b:c=d", "a", "", options{"b:c": "d"}, "a?b%3Ac=d"},
	} {
		n, err := device.ParseName(test.name)
		require.NoError(t, err, test.name)
		require.Equal(t, device.Name{Driver: test.driver, Instance: test.instance, Options: test.options}, n, test.name)
		require.Equal(t, test.canonical, n.String(), test.name)
	}
	for name, want := range map[string]string{
		"":                "the name of a driver is missing",
		":0":              "the name of a driver is missing",
		"?threads=2":      "the name of a driver is missing",
		"cpu?a=1&a=2":     `option "a" is given 2 times`,
		"cpu?=1":          "an option has no key",
		"cpu?a=%zz":       "cannot be read",
		"cpu?a=1;b=2":     "cannot be read",
		"cpu?threads=%41": "",
	} {
		_, err := device.ParseName(name)
		if want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, device.ErrInvalidDevice, name)
		require.ErrorContains(t, err, want, name)
		_, openErr := device.Open(name)
		require.Equal(t, err, openErr, name)
	}
}

// FuzzName parses and opens names. A name is refused with [device.ErrInvalidDevice],
// or it is that of a device that opens again under the name it gives itself.
func FuzzName(f *testing.F) {
	for _, name := range []string{
		"cpu", "cpu:0", "cpu:1", "cpu?threads=2&simd=off", "cpu?threads=256", "cpu?threads=257", "cpu?threads=0x2", "cpu?threads=+2&simd=auto",
		"cpu:0?simd=on", "cpu:?", "a?b&=c&b&d&d", "ascend:0", "a:b:c?d=e&f", "?", "a?%00=%ff", "a?b=c&b=d", "a?b;c", "\xff?\xff", "cpu?threads=9999999999999999999",
	} {
		f.Add(name)
	}
	refused := func(t *testing.T, err error) {
		var e *device.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, device.ErrInvalidDevice, e.Code)
		require.NotEmpty(t, e.Reason)
	}
	f.Fuzz(func(t *testing.T, name string) {
		n, err := device.ParseName(name)
		if err != nil {
			refused(t, err)
			_, openErr := device.Open(name)
			require.Equal(t, err, openErr)
			return
		}
		require.NotEmpty(t, n.Driver)
		again, err := device.ParseName(n.String())
		require.NoError(t, err, "%q of %q", n, name)
		require.Equal(t, n, again, "%q of %q", n, name)
		require.Equal(t, n.String(), again.String())
		require.NoError(t, n.OnlyOptions(slices.Collect(maps.Keys(n.Options))...))

		dev, err := device.Open(name)
		if err != nil {
			refused(t, err)
			return
		}
		require.Equal(t, n.String(), dev.Name())
		same, err := device.Open(dev.Name())
		require.NoError(t, err)
		require.Equal(t, dev.Name(), same.Name())
		require.NoError(t, same.Close())
		require.NoError(t, dev.Close())
	})
}

func TestOnlyOptions(t *testing.T) {
	n, err := device.ParseName("cpu?threads=2&thread=3&simd=off")
	require.NoError(t, err)
	require.NoError(t, n.OnlyOptions("simd", "thread", "threads", "more"))
	err = n.OnlyOptions("simd", "threads")
	require.EqualError(t, err, `Open: device "cpu?simd=off&thread=3&threads=2": there is no option "thread"; cpu has simd, threads (107001 ACL_ERROR_RT_INVALID_DEVICEID)`)
	require.ErrorIs(t, err, device.ErrInvalidDevice)
}

// named is a device with a name and nothing else.
type named struct {
	device.Device
	name device.Name
}

func TestOpen(t *testing.T) {
	open := func(n device.Name) (device.Device, error) {
		if n.Instance != "" {
			return nil, &device.Error{Code: device.ErrInvalidDevice, Reason: "no " + n.Instance}
		}
		return named{name: n}, nil
	}
	device.WithoutDrivers(func() {
		_, err := device.Open("first")
		require.ErrorIs(t, err, device.ErrInvalidDevice)
		require.ErrorContains(t, err, `no driver "first" is registered; none is; import a device package`)
		device.Register("second", open)
		device.Register("first", open)
		require.Equal(t, []string{"first", "second"}, device.Drivers())

		d, err := device.Open("second?a=b")
		require.NoError(t, err)
		require.Equal(t, device.Name{Driver: "second", Options: map[string]string{"a": "b"}}, d.(named).name)
		_, err = device.Open("first:7")
		require.ErrorContains(t, err, "no 7")
		_, err = device.Open("third")
		require.ErrorContains(t, err, `no driver "third" is registered; there is first, second`)

		require.PanicsWithValue(t, "device: Register called twice for driver first", func() { device.Register("first", open) })
	})
}
