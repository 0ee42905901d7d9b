package classifier

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"reflect"
	"runtime/debug"
	"slices"

	"github.com/pullback-go/pullback/classifier/internal/nullable"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
)

// documentVersion is that of the document in a model file. A change that makes older programs
// misread newer files raises it.
const documentVersion = 1

// document is what a model file holds besides tensors.
type document struct {
	Version   int                 `json:"version"`
	Program   string              `json:"program"` // that wrote it
	Encoder   *dataset.Encoder    `json:"encoder"`
	Hidden    []int               `json:"hidden"`
	Loss      string              `json:"loss"`
	DType     string              `json:"dtype"`
	Threshold float64             `json:"threshold"`
	Settings  []Setting           `json:"settings"`
	History   [][3]nullable.Float `json:"history"` // an Epoch's fields
	Training  *position           `json:"training,omitempty"`
}

// document describes the model.
func (m *Model) document() document {
	sizes := m.network.mlp.Sizes
	d := document{
		Version: documentVersion, Program: program(),
		Encoder: m.encoder,
		Hidden:  sizes[1 : len(sizes)-1], Loss: m.loss.String(), DType: m.network.dtype.String(),
		Threshold: m.Threshold(), Settings: m.settings,
	}
	for _, e := range m.history {
		d.History = append(d.History, [3]nullable.Float{nullable.Float(e.Loss), nullable.Float(e.ValidationLoss), nullable.Float(e.ValidationAUC)})
	}
	if m.training != nil {
		d.Training = &m.training.at
	}
	return d
}

// parseDocument reads a document from anywhere. What it returns can be used, if tensors fit it.
func parseDocument(data []byte) (*document, Loss, device.DType, error) {
	var version struct{ Version int }
	if err := json.Unmarshal(data, &version); err != nil || version.Version < 1 {
		return nil, 0, 0, errors.New("is not of a classifier: its document has no version")
	}
	if version.Version > documentVersion {
		return nil, 0, 0, fmt.Errorf("has a document of version %d, but this program reads version %d: it needs a newer release", version.Version, documentVersion)
	}
	d := new(document)
	if err := json.Unmarshal(data, d); err != nil {
		return nil, 0, 0, errors.New("is damaged: its document does not describe a classifier")
	}
	if err := d.Encoder.Validate(); err != nil {
		return nil, 0, 0, fmt.Errorf("is damaged: %w", err)
	}
	if label := d.Encoder.Label; label.Negative == "" || label.Positive == "" {
		return nil, 0, 0, errors.New("is damaged: its classes have no names")
	}
	loss, err := ParseLoss(d.Loss)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("is damaged: %w", err)
	}
	dtype, err := device.ParseDType(d.DType)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("is damaged: %w", err)
	}
	if slices.ContainsFunc(d.Hidden, func(width int) bool { return width < 1 }) {
		return nil, 0, 0, fmt.Errorf("is damaged: it has hidden layers of widths %d", d.Hidden[:min(len(d.Hidden), 8)])
	}
	if d.Training != nil {
		if err := d.Training.check(); err != nil {
			return nil, 0, 0, fmt.Errorf("is damaged: %w", err)
		}
	}
	return d, loss, dtype, nil
}

// program returns the name and version of this program's copy of pullback.
func program() string {
	module := path.Dir(reflect.TypeFor[Model]().PkgPath())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == module && m.Version != "" {
				return "pullback " + m.Version
			}
		}
	}
	return "pullback"
}
