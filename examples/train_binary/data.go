package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pullback-go/pullback/dataset"
)

// source is where rows come from.
type source struct {
	path    string
	format  string
	missing string
	decimal string
	options dataset.Options
}

// add adds the flags of all commands that read rows.
func (s *source) add(flags *flag.FlagSet, usage string) {
	flags.StringVar(&s.path, "data", "", usage)
	choice(flags, &s.format, "format", "`format` of the file", "auto", "csv", "libsvm", "npy", "npz")
	choice(flags, &s.decimal, "decimal", "what is before the decimals of a number in CSV, by `name`", "point", "comma")
	choice(flags, &s.missing, "missing", "what is done about missing values, by `name`", "impute", "refuse")
}

// addTraining adds the flags that say what a model knows afterwards.
func (s *source) addTraining(flags *flag.FlagSet) {
	flags.StringVar(&s.options.Label, "label", "", "`column` of the label, by name or position; the last if empty")
	flags.StringVar(&s.options.Positive, "positive", "", "label `value` of the positive class; guessed if empty")
	flags.Var((*names)(&s.options.Drop), "drop", "`columns` to leave out, such as id,name")
	flags.Var((*names)(&s.options.Category), "category", "`columns` whose values are categories though they are numbers, such as codes")
}

// reading returns how a file is read.
func (s *source) reading() dataset.Options {
	o := s.options
	o.RefuseMissing = s.missing == "refuse"
	if s.decimal == "comma" {
		o.Decimal = ','
	}
	o.Format = map[string]dataset.Format{"csv": dataset.CSV, "libsvm": dataset.LIBSVM, "npy": dataset.NPY, "npz": dataset.NPZ}[s.format]
	return o
}

// toyRows and toyNoise are of the toys that are made.
const (
	toyRows  = 4000
	toyNoise = 0.05
)

func toyList() string { return strings.Join(dataset.Toys(), ", ") }

// read returns the rows to train on.
func (s *source) read(seed uint64) (*dataset.Frame, error) {
	switch {
	case s.path == "":
		return dataset.ReadFrame(dataset.BreastCancerCSV(), "wdbc.csv", s.reading())
	case slices.Contains(dataset.Toys(), s.path):
		return dataset.Toy(s.path, toyRows, toyNoise, seed)
	}
	return dataset.OpenFrame(s.path, s.reading())
}

// printSchema prints what was found out about the rows: what looks as it should in one line, and
// every other column in one of its own.
func printSchema(w io.Writer, f *dataset.Frame) {
	all := f.Schema()
	var plain []string
	rest := *all
	rest.Columns = nil
	for _, c := range all.Columns {
		if c.Kind == dataset.Numeric && c.Missing == 0 && len(c.Notes) == 0 {
			plain = append(plain, c.Name)
		} else {
			rest.Columns = append(rest.Columns, c)
		}
	}
	lines := strings.SplitAfter(rest.String(), "\n")
	fmt.Fprintf(w, "%s: %s; %d rows, %d features\n", all.Source, all.Layout, all.Rows, len(all.Columns))
	fmt.Fprintf(w, "%s: %d %s (+1), %d %s (-1)\n", all.Label, all.Positives, all.Positive, all.Negatives, all.Negative)
	if n := len(plain); n > 0 {
		shown := plain[:min(n, 5)]
		if n > len(shown) {
			shown = append(slices.Clone(shown), fmt.Sprintf("%d more", n-len(shown)))
		}
		fmt.Fprintf(w, "numbers without gaps: %s\n", strings.Join(shown, ", "))
	}
	for _, line := range lines[2:] {
		fmt.Fprint(w, line)
	}
}
