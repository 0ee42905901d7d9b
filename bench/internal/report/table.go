package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/pullback-go/pullback/bench/internal/machine"
	"github.com/pullback-go/pullback/bench/internal/measure"
)

// WriteTable writes the results, a group of rows for each point.
func WriteTable(w io.Writer, results []*measure.Result) {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.Options{SeparateHeader: true, SeparateRows: false}
	t.Style().Box.PaddingLeft, t.Style().Box.PaddingRight = "", "  "
	t.Style().Format.Header = text.FormatDefault
	right := []string{"size", "ns/element", "spread", "GB/s", "speed", "max ulp"}
	var columns []table.ColumnConfig
	for _, name := range right {
		columns = append(columns, table.ColumnConfig{Name: name, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(table.Row{"operation", "dtype", "layout", "size", "device", "ns/element", "spread", "GB/s", "speed", "max ulp"})
	for i, r := range results {
		first := results[firstOf(results, i)]
		op, dtype, layout, size := "", "", "", ""
		if first == r {
			if i > 0 && results[i-1].Op != r.Op {
				t.AppendRow(table.Row{})
			}
			op, dtype, layout, size = r.Op, r.DType.String(), r.Layout, strconv.Itoa(r.N)
			if measure.HasReduction(op) {
				op += " " + r.Reduction
			}
		}
		t.AppendRow(table.Row{op, dtype, layout, size, r.Device,
			significant(r.Median() / float64(r.N)), percent(r.Spread()), perSecond(r), Speed(r, first), ulps(r.MaxULP)})
	}
	for line := range strings.Lines(t.Render()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

// firstOf returns the index of the first result of the same point.
func firstOf(results []*measure.Result, i int) int {
	for i > 0 && results[i-1].Point == results[i].Point {
		i--
	}
	return i
}

// Speed says how many times as fast r is as the first device: "≈" where they differ by
// less than the spread, "1" for the first itself.
func Speed(r, first *measure.Result) string {
	switch {
	case r == first:
		return "1"
	case r.Equal(first):
		return "≈"
	}
	return significant(first.Median() / r.Median())
}

// significant shows three digits, without an exponent.
func significant(x float64) string {
	if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return fmt.Sprint(x)
	}
	digits := 2 - int(math.Floor(math.Log10(x)))
	return strconv.FormatFloat(x, 'f', max(0, min(digits, 6)), 64)
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("±%.1f%%", 100*x)
}

func perSecond(r *measure.Result) string {
	if r.Traffic == 0 {
		return "-"
	}
	return significant(r.Traffic / r.Median())
}

func ulps(x float64) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case x == 0:
		return "0"
	case x >= 1e4:
		return fmt.Sprintf("%.1e", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// WriteMachine writes what the table was measured on.
func WriteMachine(w io.Writer, m machine.Machine) {
	fmt.Fprintf(w, "%s, %d cores, GOMAXPROCS %d, %s, %s, %s", m.CPU, m.Cores, m.GOMAXPROCS, m.SIMD, m.Go, m.Platform)
	for _, c := range m.Caches {
		if c.Type != "Instruction" {
			fmt.Fprintf(w, ", L%d %s", c.Level, size(c.Bytes))
		}
	}
	fmt.Fprintf(w, "\nmemory: copy %.1f GB/s, add %.1f GB/s on one thread; copy %.1f GB/s, add %.1f GB/s on %d\n",
		m.CopyOne, m.AddOne, m.CopyAll, m.AddAll, m.GOMAXPROCS)
}

func size(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
