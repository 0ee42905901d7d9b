package classifier

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/classifier/internal/modelfile"
	"github.com/pullback-go/pullback/device"
)

// maxModelFile is how many bytes of a model file are read.
const maxModelFile = 4 << 30

// Load reads a model that [Model.Save] wrote, for the device, which must stay open until the
// model is closed. A file that is cut short, altered or of a newer version is refused.
func Load(dev device.Device, path string) (*Model, error) {
	f, err := modelfile.Read(path, maxModelFile)
	if err != nil {
		return nil, err
	}
	m, err := decode(dev, f)
	if err != nil {
		return nil, fmt.Errorf("model file %q %w", path, err)
	}
	if err := m.compile(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// decode makes a model of a file. Its errors continue a sentence that begins with the file's name.
func decode(dev device.Device, f *modelfile.File) (*Model, error) {
	d, loss, dtype, err := parseDocument(f.Metadata)
	if err != nil {
		return nil, err
	}
	n := newNetwork(len(d.Encoder.Features()), d.Hidden, dtype)
	values, rest, err := tensors(f, n)
	if err != nil {
		return nil, err
	}
	m, err := newModel(dev, n, loss, d.Encoder)
	if err != nil {
		return nil, fmt.Errorf("cannot be used: %w", err)
	}
	m.settings = d.Settings
	for _, e := range d.History {
		m.history = append(m.history, Epoch{Loss: float64(e[0]), ValidationLoss: float64(e[1]), ValidationAUC: float64(e[2])})
	}
	if d.Training != nil {
		m.training = &training{at: *d.Training, tensors: rest}
	}
	if err := errors.Join(m.SetThreshold(d.Threshold), m.set(values)); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot be used: %w", err), m.Close())
	}
	return m, nil
}

// tensors returns the network's parameters, and what only training needs.
func tensors(f *modelfile.File, n network) (values, rest map[string]*tensor.Dense, err error) {
	values, rest = map[string]*tensor.Dense{}, map[string]*tensor.Dense{}
	want := map[string]device.Type{}
	for _, p := range n.parameters() {
		want[p.name] = p.typ
	}
	for _, name := range slices.Sorted(maps.Keys(f.Tensors)) { // so that the same fault is always named
		from := f.Tensors[name]
		base, ofTraining := strings.CutPrefix(name, trainingPrefix)
		t, err := hostTensor(from)
		typ, known := want[base]
		switch got := fileShape(from); {
		case err != nil:
			return nil, nil, fmt.Errorf("is damaged: tensor %.60q %w", name, err)
		case known && got != fileType(typ):
			return nil, nil, fmt.Errorf("is damaged: tensor %.60q is %s, but its network has %s there", name, got, fileType(typ))
		case ofTraining:
			rest[base] = t
		case known:
			values[base] = t
		default:
			return nil, nil, fmt.Errorf("is damaged: its network has no tensor %.60q", name)
		}
	}
	for _, p := range n.parameters() {
		if values[p.name] == nil {
			return nil, nil, fmt.Errorf("is damaged: it lacks the tensor %q", p.name)
		}
		if len(rest) > 0 && rest[p.name] == nil {
			return nil, nil, fmt.Errorf("is damaged: it lacks the tensor %q", trainingPrefix+p.name)
		}
	}
	return values, rest, nil
}

func fileShape(t modelfile.Tensor) string {
	return t.DType + device.ShapeString(t.Shape)
}
