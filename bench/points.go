package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pullback-go/pullback/bench/internal/measure"
	"github.com/pullback-go/pullback/device"
)

// selection is what the flags choose, each list empty for the default.
type selection struct {
	ops, dtypes, reductions, layouts []string
	sizes                            []int
	networks                         []network
	quick                            bool
}

// network is a train_step: the widths of the layers, and the rows of a mini-batch.
type network struct {
	widths string
	rows   int
}

var (
	allDTypes     = []string{"float32", "float16", "bfloat16", "float64"}
	allReductions = []string{"none", "mean", "sum"}

	defaultNetworks = []network{{"30-1", 32}, {"30-64-32-1", 32}, {"30-64-32-1", 256}, {"28-256-256-1", 1024}}
)

// defaultSizes are those of an operation; matrix products grow faster than their outputs.
func defaultSizes(op string, quick bool) []int {
	product := op == measure.MatMul || op == measure.Linear
	switch {
	case quick && product:
		return []int{1 << 12, 1 << 14}
	case quick:
		return []int{1 << 12, 1 << 20}
	case product:
		return []int{1 << 10, 1 << 14, 1 << 18}
	}
	return []int{1 << 10, 1 << 14, 1 << 18, 1 << 22}
}

func or(list, byDefault []string) []string {
	if len(list) == 0 {
		return byDefault
	}
	return list
}

// points returns everything that is chosen, in the order of the table, and what
// cannot be measured with the reason.
func (s selection) points() (list []measure.Point, impossible []string, err error) {
	add := func(p measure.Point) {
		if reason := p.Check(); reason != nil {
			impossible = append(impossible, reason.Error())
		} else if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for _, op := range measure.Ops {
		if len(s.ops) > 0 && !slices.Contains(s.ops, op) {
			continue
		}
		for _, name := range or(s.dtypes, []string{"float32"}) {
			dtype, err := device.ParseDType(name)
			if err != nil {
				return nil, nil, err
			}
			if op == measure.TrainStep {
				networks := s.networks
				if len(networks) == 0 {
					networks = defaultNetworks
				}
				for _, n := range networks {
					add(measure.Point{Op: op, DType: dtype, Reduction: "mean", Layout: n.widths, N: n.rows})
				}
				continue
			}
			reductions, layouts, sizes := []string{""}, []string{"contiguous"}, s.sizes
			if measure.HasReduction(op) {
				reductions = or(s.reductions, []string{"mean"})
			}
			if measure.HasLayout(op) {
				layouts = or(s.layouts, layouts)
			}
			if len(sizes) == 0 {
				sizes = defaultSizes(op, s.quick)
			}
			for _, r := range reductions {
				for _, l := range layouts {
					for _, n := range sizes {
						add(measure.Point{Op: op, DType: dtype, Reduction: r, Layout: l, N: n})
					}
				}
			}
		}
	}
	slices.Sort(impossible)
	return list, slices.Compact(impossible), nil
}

// choices is a flag that lists some of the given words, or "all".
type choices struct {
	list *[]string
	of   []string
}

func (c choices) String() string { return "" }

func (c choices) Set(s string) error {
	*c.list = nil
	for _, word := range strings.Split(s, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "all":
			*c.list = slices.Clone(c.of)
		case !slices.Contains(c.of, word):
			return fmt.Errorf("%q is not one of all, %s", word, strings.Join(c.of, ", "))
		case !slices.Contains(*c.list, word):
			*c.list = append(*c.list, word)
		}
	}
	return nil
}

// maxSize is the largest number of elements that can be asked for.
const maxSize = 1 << 28

// setSizes reads numbers such as 4096 and 2^12, and networks such as 30-64-32-1/32.
func (s *selection) setSizes(text string) error {
	s.sizes, s.networks = nil, nil
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		if widths, rows, ok := strings.Cut(word, "/"); ok {
			n, err := strconv.Atoi(rows)
			if err != nil || n < 1 || n > 1<<20 {
				return fmt.Errorf("%q: the rows of a mini-batch are a number from 1 to %d", word, 1<<20)
			}
			if _, err := (measure.Point{Layout: widths}).Network(); err != nil {
				return err
			}
			s.networks = append(s.networks, network{widths, n})
			continue
		}
		n, err := strconv.Atoi(word)
		if exponent, ok := strings.CutPrefix(word, "2^"); ok {
			var e int
			if e, err = strconv.Atoi(exponent); err == nil && e >= 0 && e < 60 {
				n = 1 << e
			}
		}
		if err != nil || n < 1 || n > maxSize {
			return fmt.Errorf("%q is not a number from 1 to 2^28, such as 4096 or 2^12, nor a network and its rows, such as 30-64-32-1/32", word)
		}
		s.sizes = append(s.sizes, n)
	}
	slices.Sort(s.sizes)
	return nil
}
