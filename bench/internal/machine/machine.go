// Package machine tells what a measurement was made on: the processor, its caches,
// and how fast memory can be copied and added, measured in the same run.
package machine

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Machine is what there is to know. Speeds are 10⁹ bytes a second, reads and writes both counted.
type Machine struct {
	CPU        string  `json:"cpu"`   // "unknown" where the system does not say
	Cores      int     `json:"cores"` // that this process may use
	Caches     []Cache `json:"caches"`
	Go         string  `json:"go_version"`
	Platform   string  `json:"platform"`
	SIMD       string  `json:"simd_level"`
	GOMAXPROCS int     `json:"gomaxprocs"`

	CopyOne float64 `json:"copy_gb_per_s_one_thread"`
	AddOne  float64 `json:"add_gb_per_s_one_thread"`
	CopyAll float64 `json:"copy_gb_per_s_all_threads"`
	AddAll  float64 `json:"add_gb_per_s_all_threads"`
}

// Cache is one level, as the first core sees it.
type Cache struct {
	Level int    `json:"level"`
	Type  string `json:"type"` // Data, Instruction or Unified
	Bytes int    `json:"bytes"`
}

// Describe returns the facts, without speeds.
func Describe() Machine {
	return Machine{
		CPU: cpuName(), Cores: runtime.NumCPU(), Caches: caches("/sys/devices/system/cpu/cpu0/cache"),
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, SIMD: simdLevel(), GOMAXPROCS: runtime.GOMAXPROCS(0),
	}
}

// LastLevelCache returns the bytes of the largest cache, 32 MiB where it is not known.
func (m Machine) LastLevelCache() int {
	largest := 0
	for _, c := range m.Caches {
		largest = max(largest, c.Bytes)
	}
	if largest == 0 {
		return 32 << 20
	}
	return largest
}

// cpuName reads the model from Linux, as far as it says.
func cpuName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		key, value, _ := strings.Cut(s.Text(), ":")
		if key = strings.TrimSpace(key); key == "model name" || key == "Model" || key == "Hardware" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// caches reads what Linux says of the caches of one core.
func caches(dir string) []Cache {
	list := []Cache{}
	indices, _ := filepath.Glob(filepath.Join(dir, "index*"))
	slices.Sort(indices)
	for _, index := range indices {
		read := func(name string) string {
			data, _ := os.ReadFile(filepath.Join(index, name))
			return strings.TrimSpace(string(data))
		}
		level, err := strconv.Atoi(read("level"))
		bytes := parseSize(read("size"))
		if err == nil && bytes > 0 {
			list = append(list, Cache{level, read("type"), bytes})
		}
	}
	return list
}

// parseSize reads "48K", "1M" or a number of bytes, 0 if it is none of them.
func parseSize(s string) int {
	unit := 1
	switch {
	case strings.HasSuffix(s, "K"):
		unit = 1 << 10
	case strings.HasSuffix(s, "M"):
		unit = 1 << 20
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "KM"))
	if err != nil || n < 0 {
		return 0
	}
	return n * unit
}
