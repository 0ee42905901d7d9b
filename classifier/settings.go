package classifier

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/optim"
)

// Setting is an option by its name, as text.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// settings describes all that the weights of a run depend on, but for how long it goes on.
func settings(o Options, r recipe, train, validation *dataset.Matrix) []Setting {
	optimizer, rate := describeOptimizer(o.Optimizer)
	return []Setting{
		{"hidden layers", widths(o.Hidden)},
		{"loss", o.Loss.String()},
		{"dtype", o.DType.String()},
		{"batch size", fmt.Sprint(o.BatchSize)},
		{"optimizer", optimizer},
		{"learning rate", rate},
		{"L2", fmt.Sprint(o.L2)},
		{"clip norm", fmt.Sprint(o.ClipNorm)},
		{"dropout", fmt.Sprint(o.Dropout)},
		{"class weights", fmt.Sprintf("%v and %v", r.negative, r.positive)},
		{"seed", fmt.Sprint(o.Seed)},
		{"training data", describeRows(train)},
		{"validation data", describeRows(validation)},
	}
}

// difference returns an error that names a setting that is not what it was: the first, but one that may follow from
// others, as batch sizes, schedules and balanced weights do from the data, only if no other differs.
func difference(was, is []Setting) error {
	follows := func(i int) bool {
		return slices.Contains([]string{"batch size", "learning rate", "class weights"}, is[i].Name)
	}
	at := -1
	for i, now := range is {
		if i >= len(was) || was[i].Name != now.Name {
			return fmt.Errorf("classifier: the run to resume says nothing of its %s, so it cannot go on; start anew", now.Name)
		}
		if now.Name == "learning rate" && now.Value == unknownRate {
			return errors.New("classifier: the learning rate of the optimizer is not known, so it cannot be told whether it is that of the run to resume; make its optim.Schedule an exported field")
		}
		if was[i] != now && (at < 0 || follows(at) && !follows(i)) {
			at = i
		}
	}
	switch {
	case at < 0:
		return nil
	case strings.Contains(was[at].Value, scheduleMark) && strings.Contains(is[at].Value, scheduleMark):
		return fmt.Errorf("classifier: the run to resume had for its %s another schedule; a schedule that depends on the number of epochs "+
			"(cosine, onecycle, warmup) cannot be continued with another number, so resume with the schedule and the Epochs it had", is[at].Name)
	}
	return fmt.Errorf("classifier: the run to resume had for its %s %s, but now it is %s; resume with the options and data it had (only Epochs and Patience may change)",
		is[at].Name, was[at].Value, is[at].Value)
}

// scheduleMark is in the text of every learning rate that is not constant.
const scheduleMark = " (checksum "

func widths(hidden []int) string {
	if len(hidden) == 0 {
		return "none"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(hidden), " ", ","), "[]")
}

// describeOptimizer returns the optimizer's type and hyper-parameters, and its learning rate.
func describeOptimizer(o optim.Optimizer) (optimizer, rate string) {
	d := optimizerDescription{parameters: []string{typeName(reflect.TypeOf(o))}}
	d.add("", reflect.ValueOf(o), 0)
	rate = unknownRate
	if len(d.rates) > 0 {
		rate = strings.Join(d.rates, " and ")
	}
	return strings.Join(d.parameters, " "), rate
}

// unknownRate is for an optimizer that has its schedule where nobody else can see it.
const unknownRate = "unknown"

// optimizerDescription is what the fields of an optimizer say, and those of the optimizers in it.
type optimizerDescription struct {
	parameters []string
	rates      []string
}

// maxNesting bounds how deep a description goes, since pointers may lead in circles.
const maxNesting = 8

func (d *optimizerDescription) add(name string, v reflect.Value, depth int) {
	if depth > maxNesting {
		return
	}
	switch v.Kind() {
	case reflect.Func:
		if schedule, ok := v.Interface().(optim.Schedule); ok {
			d.rates = append(d.rates, describeSchedule(schedule))
		}
	case reflect.Interface:
		if !v.IsNil() {
			d.parameters = append(d.parameters, name+"="+typeName(v.Elem().Type()))
			d.add(name, v.Elem(), depth+1)
		}
	case reflect.Pointer:
		d.add(name, v.Elem(), depth+1) // of no kind if it is nil
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() || hasText(field.Type.Kind()) {
				d.add(strings.TrimPrefix(name+"."+field.Name, "."), v.Field(i), depth+1)
			}
		}
	default: // others have no text that lasts
		if hasText(v.Kind()) {
			d.parameters = append(d.parameters, fmt.Sprintf("%s=%v", name, v))
		}
	}
}

// typeName returns the name of the type, or of what it points to.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// hasText reports whether a value of the kind is a number, a truth value or a text.
func hasText(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr || k == reflect.String
}

// describeSchedule tells schedules apart by their values at some steps.
func describeSchedule(schedule optim.Schedule) string {
	if schedule == nil {
		return "none"
	}
	first, constant := schedule(0), true
	text := fmt.Sprintf("%.3g", first)
	h := fnv.New64a()
	for step := int64(1); step <= 10_000_000; step += 1 + step/8 {
		rate := schedule(step)
		constant = constant && rate == first
		fmt.Fprintln(h, rate)
	}
	if constant {
		return fmt.Sprint(first)
	}
	for step := int64(10); step <= 10_000; step *= 10 {
		text += fmt.Sprintf(", %.3g at step %d", schedule(step), step)
	}
	return fmt.Sprintf("%s%s%08x)", text, scheduleMark, uint32(h.Sum64()))
}

// describeRows tells encoded rows apart.
func describeRows(m *dataset.Matrix) string {
	if m == nil {
		return "none"
	}
	h := sha256.New()
	for _, name := range m.Features {
		fmt.Fprintf(h, "%q", name)
	}
	var block [4096]byte
	for x := m.X; len(x) > 0; {
		n := min(len(x), len(block)/4)
		for i, v := range x[:n] {
			binary.LittleEndian.PutUint32(block[4*i:], math.Float32bits(v))
		}
		h.Write(block[:4*n])
		x = x[n:]
	}
	for y := m.Y; len(y) > 0; {
		n := min(len(y), len(block))
		for i, v := range y[:n] {
			block[i] = byte(int8(v))
		}
		h.Write(block[:n])
		y = y[n:]
	}
	return fmt.Sprintf("%d rows of %d features (SHA-256 %x)", m.Rows(), len(m.Features), h.Sum(nil))
}
