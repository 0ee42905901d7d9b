package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pullback-go/pullback/dataset"
)

// source is where rows come from.
type source struct {
	path    string
	format  string
	header  string
	missing string
	decimal string
	options dataset.Options
	given   func() []string // the flags that were given of those that say how a file is read
}

// add adds the flags of all commands that read rows.
func (s *source) add(flags *flag.FlagSet, usage string) {
	flags.StringVar(&s.path, "data", "", usage)
	choice(flags, &s.format, "format", "`format` of the file", "auto", "csv", "libsvm", "npy", "npz")
	choice(flags, &s.header, "header", "whether the first line of CSV names the columns, by `answer`", "auto", "yes", "no")
	flags.Func("comma", "`character` between the cells of CSV, or tab; found out if not given", func(text string) error {
		if text == "tab" {
			text = "\t"
		}
		c, size := utf8.DecodeRuneInString(text)
		if size != len(text) || c == utf8.RuneError {
			return errors.New("it must be one character, or tab")
		}
		s.options.Comma = c
		return nil
	})
	choice(flags, &s.decimal, "decimal", "what is before the decimals of a number in CSV, by `name`", "point", "comma")
	choice(flags, &s.missing, "missing", "what is done about missing values, by `name`", "impute", "refuse")
}

// addTraining adds the flags that say what a model knows afterwards.
func (s *source) addTraining(flags *flag.FlagSet, encoder *dataset.EncoderOptions) {
	flags.StringVar(&s.options.Label, "label", "", "`column` of the label, by name or position; the last if empty")
	flags.StringVar(&s.options.Positive, "positive", "", "label `value` of the positive class; guessed if empty")
	flags.Var((*names)(&s.options.Drop), "drop", "`columns` to leave out, such as id,name")
	flags.Var((*names)(&s.options.Category), "category", "`columns` whose values are categories though they are numbers, such as codes")
	flags.IntVar(&encoder.MaxCategories, "max-categories", 0, "greatest `number` of categories of a column; one with more is left out; if 0 it is 64, or a twentieth of the rows if that is more")
	var all []string
	flags.VisitAll(func(f *flag.Flag) { all = append(all, f.Name) })
	s.given = func() (names []string) {
		flags.Visit(func(f *flag.Flag) {
			if f.Name != "data" && slices.Contains(all, f.Name) {
				names = append(names, "-"+f.Name)
			}
		})
		return names
	}
}

// reading returns how a file is read.
func (s *source) reading() dataset.Options {
	o := s.options
	o.RefuseMissing = s.missing == "refuse"
	if s.decimal == "comma" {
		o.Decimal = ','
	}
	o.Header = map[string]dataset.Header{"yes": dataset.HasHeader, "no": dataset.NoHeader}[s.header]
	o.Format = map[string]dataset.Format{"csv": dataset.CSV, "libsvm": dataset.LIBSVM, "npy": dataset.NPY, "npz": dataset.NPZ}[s.format]
	return o
}

// toyRows and toyNoise are of the toys that are made.
const (
	toyRows  = 4000
	toyNoise = 0.05
)

func toyList() string { return strings.Join(dataset.Toys(), ", ") }

// isToy reports whether the rows to train on are made.
func (s *source) isToy() bool { return slices.Contains(dataset.Toys(), s.path) }

// check returns an error if flags say how a file is read and there is none.
func (s *source) check() error {
	if given := s.given(); s.isToy() && len(given) > 0 {
		return fmt.Errorf("the rows of %s are made, not read from a file, so leave out %s", s.path, strings.Join(given, ", "))
	}
	return nil
}

// read returns the rows to train on.
func (s *source) read(seed uint64) (*dataset.Frame, error) {
	switch {
	case s.path == "":
		return dataset.ReadFrame(dataset.BreastCancerCSV(), "wdbc.csv", s.reading())
	case s.isToy():
		return dataset.Toy(s.path, toyRows, toyNoise, seed)
	}
	return s.readFile(s.reading())
}

// readFile returns the rows of the file.
func (s *source) readFile(o dataset.Options) (*dataset.Frame, error) {
	f, name, err := s.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.ReadFrame(f, name, o)
}

// open returns the file, and what to call it.
func (s *source) open() (f *os.File, name string, err error) {
	if s.path == "-" {
		return os.Stdin, "the standard input", nil
	}
	f, err = os.Open(s.path)
	return f, s.path, err
}

// file returns the file as what a flag names.
func (s *source) file() file {
	if s.path == "-" {
		return file{"data", os.Stdin.Name(), "data"}
	}
	return file{"data", s.path, "data"}
}
