package classifier_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"
	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/classifier/internal/modelfile"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
)

// mixed returns a model of numbers and categories, with gaps in both, and the rows it was trained on.
func mixed(t testing.TB, dtype device.DType) (*classifier.Model, *dataset.Frame) {
	t.Helper()
	const csv = "size,colour,weight,sold\n1,red,2.5,yes\n2,,3.5,no\n3,blue,,yes\n4,red,1e3,no\n5,green,7,yes\n6,\"a, b\",8,no\n"
	f, err := dataset.ReadFrame(strings.NewReader(csv), "mixed.csv", dataset.Options{})
	require.NoError(t, err)
	opts := classifier.DefaultOptions()
	opts.Hidden, opts.Epochs, opts.DType, opts.Validation = []int{3}, 3, dtype, f
	return fit(t, open(t, "cpu"), f, opts), f
}

func TestSaveAndLoad(t *testing.T) {
	dev := open(t, "cpu")
	for _, dtype := range []device.DType{device.Float64, device.Float32, device.BFloat16, device.Float16} {
		m, f := mixed(t, dtype)
		require.NoError(t, m.SetThreshold(-0.123456789))
		path := filepath.Join(t.TempDir(), "model.safetensors")
		require.NoError(t, m.Save(path))
		loaded, err := classifier.Load(dev, path)
		require.NoError(t, err)
		defer loaded.Close()
		want, err := m.Predict(f)
		require.NoError(t, err)
		got, err := loaded.Predict(f)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, m.Threshold(), loaded.Threshold())
		require.Equal(t, m.Encoder(), loaded.Encoder())
		require.Equal(t, m.Settings(), loaded.Settings())
		require.Equal(t, m.History(), loaded.History())
		require.Equal(t, evaluate(t, m, f), evaluate(t, loaded, f))

		again := filepath.Join(t.TempDir(), "again")
		require.NoError(t, loaded.Save(again))
		requireSameFile(t, path, again)

		// Another reader of the format finds the weights under their names.
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		other, err := safetensors.Deserialize(data)
		require.NoError(t, err)
		tensors := map[string][]int{}
		for _, entry := range other.Tensors() {
			for _, d := range entry.TensorView.Shape() {
				tensors[entry.Name] = append(tensors[entry.Name], int(d))
			}
		}
		for name, shape := range map[string][]int{"mlp/0/weight": {6, 3}, "mlp/0/bias": {3}, "mlp/1/weight": {3, 1}, "mlp/1/bias": {1}} {
			require.Equal(t, shape, tensors[name])
			require.Equal(t, shape, tensors["training/"+name])
			require.Equal(t, shape, tensors["training/AdamW/"+name+"/expAvgSq"], "%v", tensors)
		}
	}
}

// sealed returns a model file's bytes with the checksum that belongs to them.
func sealed(data []byte) []byte {
	mark := []byte(`sha256\":\"`)
	at := bytes.Index(data, mark) + len(mark)
	sum := sha256.New()
	sum.Write(data[:at])
	sum.Write(data[at+64:])
	hex.Encode(data[at:], sum.Sum(nil))
	return data
}

// However a file is damaged, it is refused with one sentence or, where its checksum is made to fit, can be used.
func TestDamagedModels(t *testing.T) {
	dev := open(t, "cpu")
	m, f := mixed(t, device.Float32)
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	require.NoError(t, m.Save(path))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(whole), string(sealed(bytes.Clone(whole))))
	header := 8 + int(binary.LittleEndian.Uint64(whole))

	damaged := filepath.Join(dir, "damaged")
	load := func(data []byte) error {
		require.NoError(t, os.WriteFile(damaged, data, 0o600))
		m, err := classifier.Load(dev, damaged)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 700, err)
			return err
		}
		defer m.Close()
		_, _ = m.Evaluate(f)
		return nil
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rng := rand.New(rand.NewPCG(1, 2))
	const rounds = 1000
	for range rounds { // package modelfile tries every bit
		data := bytes.Clone(whole)
		switch rng.IntN(4) {
		case 0:
			data = data[:rng.IntN(len(data))]
		case 1:
			data = append(data, data[:1+rng.IntN(20)]...)
		default:
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
		require.Error(t, load(data))
	}
	// Some are altered by one who knows the checksum: a byte of the header, or digits.
	survived := 0
	for i := range rounds {
		data := bytes.Clone(whole)
		at := 200 + rng.IntN(header-200)
		data[at] = byte(32 + rng.IntN(95))
		if i%2 == 0 {
			for data[at] < '0' || data[at] > '9' {
				at = 200 + rng.IntN(header-200)
			}
			copy(data[at:], "999999999"[:1+rng.IntN(9)])
		}
		if load(sealed(data)) == nil {
			survived++
		}
	}
	runtime.ReadMemStats(&after)
	perLoad := (after.TotalAlloc - before.TotalAlloc) / (2 * rounds)
	require.Less(t, perLoad, uint64(2<<20), "bytes allocated a file of %d", len(whole))
	require.NotZero(t, survived, "another digit can be as good")
}

// altered writes a model file with a change to its document or its tensors.
func altered(t *testing.T, path string, change func(document map[string]any, f *modelfile.File)) string {
	t.Helper()
	f, err := modelfile.Read(path, 1<<20)
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(f.Metadata, &document))
	change(document, f)
	f.Metadata, err = json.Marshal(document)
	require.NoError(t, err)
	to := filepath.Join(t.TempDir(), "altered")
	require.NoError(t, modelfile.Write(to, f))
	return to
}

// What a file says of itself is not believed.
func TestHostileDocuments(t *testing.T) {
	dev := open(t, "cpu")
	m, _ := mixed(t, device.Float32)
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, m.Save(path))
	for want, change := range map[string]func(d map[string]any, f *modelfile.File){
		"has a document of version 2, but this program reads version 1: it needs a newer release": func(d map[string]any, _ *modelfile.File) { d["version"] = 2 },
		"is not of a classifier: its document has no version":                                     func(d map[string]any, _ *modelfile.File) { delete(d, "version") },
		"is damaged: its document does not describe a classifier":                                 func(d map[string]any, _ *modelfile.File) { d["hidden"] = "many" },
		"is damaged: dataset: the encoder is nil":                                                 func(d map[string]any, _ *modelfile.File) { delete(d, "encoder") },
		"is damaged: it has hidden layers of widths [-1]":                                         func(d map[string]any, _ *modelfile.File) { d["hidden"] = []int{-1} },
		`is damaged: tensor "`: func(d map[string]any, _ *modelfile.File) { d["hidden"] = []int{1 << 30} },
		`is damaged: tensor "mlp/0/bias" is F32[3], but its network has F32[1] there`: func(d map[string]any, _ *modelfile.File) { d["hidden"] = []int{} },
		`is damaged: its network has no tensor "mlp/9/bias"`:                          func(_ map[string]any, f *modelfile.File) { f.Tensors["mlp/9/bias"] = f.Tensors["mlp/0/bias"] },
		`is damaged: classifier: there is no loss "zero"`:                             func(d map[string]any, _ *modelfile.File) { d["loss"] = "zero" },
		"is damaged: dtype: \"int8\" is not one of":                                   func(d map[string]any, _ *modelfile.File) { d["dtype"] = "int8" },
		"is damaged: training cannot be at":                                           func(d map[string]any, _ *modelfile.File) { d["training"].(map[string]any)["epoch"] = -1 },
		`is damaged: it lacks the tensor "mlp/0/bias"`:                                func(_ map[string]any, f *modelfile.File) { delete(f.Tensors, "mlp/0/bias") },
		`is damaged: it lacks the tensor "training/mlp/0/bias"`:                       func(_ map[string]any, f *modelfile.File) { delete(f.Tensors, "training/mlp/0/bias") },
		`is damaged: tensor "mlp/0/bias" has an element that is not finite`: func(_ map[string]any, f *modelfile.File) {
			copy(f.Tensors["mlp/0/bias"].Data, []byte{0, 0, 0xc0, 0x7f})
		},
		`is damaged: tensor "mlp/1/bias" has dtype F16, but must have F32 or F64`: func(_ map[string]any, f *modelfile.File) {
			f.Tensors["mlp/1/bias"] = modelfile.Tensor{DType: "F16", Shape: []int{1}, Data: make([]byte, 2)}
		},
		`is damaged: tensor "mlp/1/bias" is F32[1,1], but its network has F32[1] there`: func(_ map[string]any, f *modelfile.File) {
			f.Tensors["mlp/1/bias"] = modelfile.Tensor{DType: "F32", Shape: []int{1, 1}, Data: make([]byte, 4)}
		},
	} {
		hostile := altered(t, path, change)
		_, err := classifier.Load(dev, hostile)
		require.ErrorContains(t, err, "model file \""+hostile+"\" "+want)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := classifier.Load(nil, path)
	require.ErrorContains(t, err, "the device is nil")
	_, err = classifier.Load(dev, filepath.Join(t.TempDir(), "nothing"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A run to resume whose states are not what its optimizer has is refused, not started anew.
func TestResumeOfAltered(t *testing.T) {
	dev := open(t, "cpu")
	m, rows := mixed(t, device.Float32)
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, m.Save(path))
	for want, change := range map[string]func(d map[string]any, f *modelfile.File){
		`the run to resume lacks the optimizer's "AdamW/mlp/0/weight/expAvg"`: func(_ map[string]any, f *modelfile.File) {
			delete(f.Tensors, "training/AdamW/mlp/0/weight/expAvg")
		},
		`parameter "AdamW/mlp/0/weight/expAvg" was set before it was declared`: func(_ map[string]any, f *modelfile.File) {
			f.Tensors["training/AdamW/mlp/0/weight/expAvg"] = modelfile.Tensor{DType: "F32", Shape: []int{1}, Data: make([]byte, 4)}
		},
		"saved without the state of its training": func(d map[string]any, _ *modelfile.File) { delete(d, "training") },
		"at a place where it cannot have been": func(d map[string]any, _ *modelfile.File) {
			d["training"].(map[string]any)["batch"] = 1
		},
		"says nothing of its hidden layers": func(d map[string]any, _ *modelfile.File) { delete(d, "settings") },
	} {
		from, err := classifier.Load(dev, altered(t, path, change))
		require.NoError(t, err)
		opts := classifier.DefaultOptions()
		opts.Hidden, opts.Epochs, opts.Validation, opts.Resume = []int{3}, 4, rows, from
		_, err = classifier.Fit(t.Context(), dev, rows, opts)
		require.ErrorContains(t, err, want)
		require.NoError(t, from.Close())
	}
}
