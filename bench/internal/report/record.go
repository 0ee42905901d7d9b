// Package report shows what was measured: as a table, as JSON and CSV, and as a picture.
package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"

	"github.com/pullback-go/pullback/bench/internal/machine"
	"github.com/pullback-go/pullback/bench/internal/measure"
)

// Document is the JSON file.
type Document struct {
	Machine machine.Machine `json:"machine"`
	Records []Record        `json:"records"`
}

// Record is one row of the table.
type Record struct {
	Op           string   `json:"op"`
	Device       string   `json:"device"`
	DType        string   `json:"dtype"`
	Reduction    string   `json:"reduction"` // empty where there is none
	Layout       string   `json:"layout"`    // of the first input; the network's widths for train_step
	N            int      `json:"n"`         // elements, or rows for train_step
	NsPerElement float64  `json:"ns_per_element"`
	NsPerOp      float64  `json:"ns_per_op"` // the median of the samples
	MinNsPerOp   float64  `json:"min_ns_per_op"`
	MaxNsPerOp   float64  `json:"max_ns_per_op"`
	GBPerS       float64  `json:"gb_per_s"` // 0 for train_step
	MaxULP       *float64 `json:"max_ulp"`  // null if it was not compared; infinity is the largest float64
	AllocsPerOp  float64  `json:"allocs_per_op"`
	Samples      int      `json:"samples"`
}

// NewRecord returns the record of a result.
func NewRecord(r *measure.Result) Record {
	median := r.Median()
	record := Record{
		Op: r.Op, Device: r.Device, DType: r.DType.String(), Reduction: r.Reduction, Layout: r.Layout, N: r.N,
		NsPerElement: median / float64(r.N), NsPerOp: median,
		MinNsPerOp: r.Samples[0], MaxNsPerOp: r.Samples[len(r.Samples)-1],
		GBPerS: r.Traffic / median, AllocsPerOp: r.Allocs, Samples: len(r.Samples),
	}
	if !math.IsNaN(r.MaxULP) {
		ulp := min(r.MaxULP, math.MaxFloat64)
		record.MaxULP = &ulp
	}
	return record
}

// NewDocument returns the document of a run.
func NewDocument(m machine.Machine, results []*measure.Result) Document {
	d := Document{Machine: m, Records: []Record{}}
	for _, r := range results {
		d.Records = append(d.Records, NewRecord(r))
	}
	return d
}

// WriteJSON writes the document.
func (d Document) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// WriteCSV writes the records, with the names that JSON has for its columns.
func (d Document) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	t := reflect.TypeFor[Record]()
	row := make([]string, t.NumField())
	for i := range row {
		row[i] = t.Field(i).Tag.Get("json")
	}
	if err := c.Write(row); err != nil {
		return err
	}
	for _, r := range d.Records {
		for i := range row {
			switch v := reflect.ValueOf(r).Field(i).Interface().(type) {
			case float64:
				row[i] = strconv.FormatFloat(v, 'g', -1, 64)
			case *float64:
				if row[i] = ""; v != nil {
					row[i] = strconv.FormatFloat(*v, 'g', -1, 64)
				}
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
