package casefile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/device/devicetest"
)

// parseBits returns the storage that the hexadecimal numbers spell.
func parseBits(list []string, d device.DType) ([]byte, error) {
	data := make([]byte, 0, len(list)*d.Size())
	for i, s := range list {
		n, err := strconv.ParseUint(s, 16, 8*d.Size())
		if err != nil || len(s) != 2*d.Size() {
			return nil, fmt.Errorf("number %d is %.40q, which is not the %d hexadecimal digits of a %s", i, s, 2*d.Size(), d)
		}
		switch d.Size() {
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

// formatBits is the other way.
func formatBits(data []byte, d device.DType) []string {
	list := make([]string, 0, len(data)/d.Size())
	for ; len(data) >= d.Size(); data = data[d.Size():] {
		switch d.Size() {
		case 2:
			list = append(list, fmt.Sprintf("%04x", binary.NativeEndian.Uint16(data)))
		case 4:
			list = append(list, fmt.Sprintf("%08x", binary.NativeEndian.Uint32(data)))
		default:
			list = append(list, fmt.Sprintf("%016x", binary.NativeEndian.Uint64(data)))
		}
	}
	return list
}

// parseFloats returns the float64 numbers that the hexadecimal ones spell.
func parseFloats(list []string) ([]float64, error) {
	data, err := parseBits(list, device.Float64)
	return devicetest.Decode(data, device.Float64), err
}

func formatFloats(values []float64) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprintf("%016x", math.Float64bits(v))
	}
	return list
}
