package casefile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// parseBits returns the storage that a JSON list of hexadecimal numbers spells. What is
// missing, or null, is an empty list.
func parseBits(list json.RawMessage, d device.DType) ([]byte, error) {
	if given(list) && list[0] != '[' {
		return nil, fmt.Errorf("%.40q is no list of hexadecimal numbers", list)
	}
	var data []byte
	size := d.Size()
	for i, rest := 0, inside(list); len(rest) > 0; i++ {
		var s []byte
		s, rest, _ = bytes.Cut(rest, []byte{','})
		s = bytes.TrimSpace(s)
		digits := bytes.Trim(s, `"`)
		n, err := strconv.ParseUint(string(digits), 16, 8*size)
		if err != nil || len(digits) != 2*size || len(s) != len(digits)+2 {
			return nil, fmt.Errorf("number %d is %.40s, which is not the %d hexadecimal digits of a %s", i, s, 2*size, d)
		}
		switch size {
		case 2:
			data = binary.NativeEndian.AppendUint16(data, uint16(n))
		case 4:
			data = binary.NativeEndian.AppendUint32(data, uint32(n))
		default:
			data = binary.NativeEndian.AppendUint64(data, n)
		}
	}
	return data, nil
}

// given reports whether a name has a value.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// inside returns what stands between the brackets of a JSON list.
func inside(list json.RawMessage) []byte {
	if !given(list) {
		return nil
	}
	return bytes.TrimSpace(list[1 : len(list)-1])
}

// formatBits is the other way.
func formatBits(data []byte, d device.DType) json.RawMessage {
	size := d.Size()
	list := []byte{'['}
	for i := 0; i+size <= len(data); i += size {
		if i > 0 {
			list = append(list, ',')
		}
		switch size {
		case 2:
			list = fmt.Appendf(list, `"%04x"`, binary.NativeEndian.Uint16(data[i:]))
		case 4:
			list = fmt.Appendf(list, `"%08x"`, binary.NativeEndian.Uint32(data[i:]))
		default:
			list = fmt.Appendf(list, `"%016x"`, binary.NativeEndian.Uint64(data[i:]))
		}
	}
	return append(list, ']')
}

// parseFloats returns the float64 numbers that the hexadecimal ones spell.
func parseFloats(list json.RawMessage) ([]float64, error) {
	data, err := parseBits(list, device.Float64)
	return devicetest.Decode(data, device.Float64), err
}

func formatFloats(values []float64) json.RawMessage {
	return formatBits(devicetest.Encode(values, device.Float64), device.Float64)
}
