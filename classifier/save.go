package classifier

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/classifier/internal/modelfile"
	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
)

// trainingPrefix begins the names of tensors that only training needs.
const trainingPrefix = "training/"

// Save writes the model to a file that [Load] reads, in place of one that is there, as a whole or
// not at all, even if the machine stops. It is a safetensors file: under the parameters' names are the
// weights, under "training/" and a name what [Options].Resume needs, and in its metadata is
// a document with all else.
func (m *Model) Save(path string) error {
	f := &modelfile.File{Tensors: map[string]modelfile.Tensor{}}
	parameters, err := m.parameters()
	if err != nil {
		return err
	}
	for name, t := range parameters {
		f.Tensors[name] = fileTensor(t)
	}
	if m.training != nil {
		for name, t := range m.training.tensors {
			f.Tensors[trainingPrefix+name] = fileTensor(t)
		}
	}
	if f.Metadata, err = json.Marshal(m.document()); err != nil {
		return fmt.Errorf("classifier: the model cannot be described: %w", err)
	}
	return modelfile.Write(path, f)
}

// fileTensor returns the file's form of a tensor of float32 or float64.
func fileTensor(t *tensor.Dense) modelfile.Tensor {
	out := modelfile.Tensor{DType: "F32", Shape: t.Shape()}
	if t.Dtype() == tensor.Float64 {
		out.DType = "F64"
		for _, v := range t.Float64s() {
			out.Data = binary.LittleEndian.AppendUint64(out.Data, math.Float64bits(v))
		}
		return out
	}
	for _, v := range t.Float32s() {
		out.Data = binary.LittleEndian.AppendUint32(out.Data, math.Float32bits(v))
	}
	return out
}

// hostTensor returns a tensor from a file. It fails if it is neither of float32 nor of float64, or has
// an element that is not finite.
func hostTensor(from modelfile.Tensor) (*tensor.Dense, error) {
	if len(from.Shape) > device.MaxRank {
		return nil, fmt.Errorf("has %d dimensions, more than any", len(from.Shape))
	}
	typ := device.Type{Shape: from.Shape}
	sound := false
	var t *tensor.Dense
	switch from.DType {
	case "F32":
		typ.DType = device.Float32
		t = graph.NewTensor(typ)
		for i := range typ.Elements() {
			t.Float32s()[i] = math.Float32frombits(binary.LittleEndian.Uint32(from.Data[4*i:]))
		}
		sound = allFinite(t.Float32s())
	case "F64":
		typ.DType = device.Float64
		t = graph.NewTensor(typ)
		for i := range typ.Elements() {
			t.Float64s()[i] = math.Float64frombits(binary.LittleEndian.Uint64(from.Data[8*i:]))
		}
		sound = allFinite(t.Float64s())
	default:
		return nil, fmt.Errorf("has dtype %s, but must have F32 or F64", from.DType)
	}
	if !sound {
		return nil, fmt.Errorf("has an element that is not finite")
	}
	return t, nil
}

// fileType returns the dtype and shape of a tensor in a file, for messages.
func fileType(t device.Type) string {
	return map[device.DType]string{device.Float32: "F32", device.Float64: "F64"}[t.DType] + device.ShapeString(t.Shape)
}
