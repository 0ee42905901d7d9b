package classifier_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/classifier/internal/onnxtest"
	"github.com/pullback-go/pullback/dataset"
)

// Another runtime computes the same scores and probabilities from the raw rows.
func TestExportONNX(t *testing.T) {
	for _, hidden := range [][]int{nil, {8}, {64, 32}} {
		opts := classifier.DefaultOptions()
		opts.Hidden, opts.Epochs = hidden, 3
		frame := breastCancer()
		m := fit(t, open(t, "cpu"), frame, opts)
		require.NoError(t, m.ChooseThreshold(frame, classifier.MaxF1))
		var rows []float64
		columns := make([][]float64, 0, 30)
		for _, name := range frame.Names() {
			values, err := frame.Numbers(name)
			require.NoError(t, err)
			columns = append(columns, values)
		}
		for i := range frame.Rows() {
			for _, column := range columns {
				rows = append(rows, column[i])
			}
		}
		requireSameInONNX(t, m, frame, rows)
	}
}

// A score is decided alike on both sides of any threshold: the one that is exported is a float32, as scores are there.
func TestExportONNXOfThresholds(t *testing.T) {
	rows := toy(t, "moons", 200, 0.3)
	opts := classifier.DefaultOptions()
	opts.Epochs = 2
	m := fit(t, open(t, "cpu"), rows, opts)
	values := scores(t, m, rows)
	score := values[7]
	for threshold, want := range map[float64]bool{
		score: true, math.Nextafter(score, 2*score): score < 0, math.Nextafter(score, 0): score > 0, // what a float32 cannot tell
		1e300: false, -1e300: true, math.MaxFloat64: false, 1e-300: score > 0, -1e-300: score > 0,
	} {
		require.NoError(t, m.SetThreshold(threshold))
		require.Equal(t, want, score >= threshold)
		require.Equal(t, want, score >= float64(exported(t, m).threshold), "%v", threshold)
	}
}

// A categorical column is a column of 0 and 1 for each category.
func TestExportONNXOfCategories(t *testing.T) {
	f := dataset.NewFrame("rows")
	require.NoError(t, f.AddNumeric("size", []float64{1, 2, 3, 9}))
	require.NoError(t, f.AddCategorical("colour", []string{"red", "blue", "red", "green"}))
	require.NoError(t, f.SetLabels("sold", []string{"yes", "no", "no", "yes"}, ""))
	m := fit(t, open(t, "cpu"), f, classifier.DefaultOptions())
	require.Equal(t, []string{"size", "colour=blue", "colour=green", "colour=red"}, m.Encoder().Features())
	requireSameInONNX(t, m, f, []float64{
		1, 0, 0, 1,
		2, 1, 0, 0,
		3, 0, 0, 1,
		9, 0, 1, 0,
	})
	require.Equal(t, `{"colour":"red"}`, exported(t, m).imputed, "red is the most frequent")
}

// file is what an exported model is written in, with what its metadata says of missing categories.
type file struct {
	bytes   []byte
	imputed string
	fills   bool // NaN is filled in

	threshold float32 // that scores are compared with
}

func exported(t *testing.T, m *classifier.Model) (f file) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.ExportONNX(&b))
	f.bytes = b.Bytes()
	var model pb.ModelProto
	require.NoError(t, proto.Unmarshal(f.bytes, &model))
	for _, p := range model.MetadataProps {
		if p.Key == "imputed" {
			f.imputed = p.Value
		}
	}
	for _, c := range model.Graph.Initializer {
		if c.Name == "threshold" {
			f.threshold = math.Float32frombits(binary.LittleEndian.Uint32(c.RawData))
		}
	}
	for _, n := range model.Graph.Node {
		f.fills = f.fills || n.OpType == "IsNaN"
	}
	return f
}

func requireSameInONNX(t *testing.T, m *classifier.Model, f *dataset.Frame, rows []float64) {
	t.Helper()
	got := onnxtest.Run(t, exported(t, m).bytes, rows, f.Rows())
	predictions, err := m.Predict(f)
	require.NoError(t, err)
	for i, p := range predictions {
		require.InDelta(t, p.Score, got.Scores[i], 1e-6*max(1, math.Abs(p.Score)), "row %d", i)
		require.InDelta(t, p.Probability, got.Probabilities[i], 1e-6, "row %d", i)
		require.Equal(t, p.Positive, got.Positive[i], "row %d", i)
	}
}

// Whatever is missing, or was not in the training rows, is what it is to Predict.
func TestExportONNXOfGaps(t *testing.T) {
	nan := math.NaN()
	const all = "size,colour,weight,sold\n1,red,2.5,yes\n2,blue,3.5,no\n3,blue,1,yes\n4,red,1e3,no\n5,green,7,yes\n6,red,8,no\n"
	for name, c := range map[string]struct {
		training string
		fills    bool
	}{
		"no gaps":            {all, false},
		"gaps in numbers":    {strings.Replace(all, "2.5", "", 1), true},
		"gaps in categories": {strings.Replace(all, "green", "", 1) + "7,green,9,yes\n", true},
		"gaps in both":       {strings.NewReplacer("2.5", "", "6,red", "6,").Replace(all), true},
		"gaps in left out":   {strings.NewReplacer("sold", "empty,sold", ",yes", ",,yes", ",no", ",,no").Replace(all), false},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := dataset.ReadFrame(strings.NewReader(c.training), "training.csv", dataset.Options{})
			require.NoError(t, err)
			m := fit(t, open(t, "cpu"), f, classifier.DefaultOptions())
			require.Equal(t, []string{"size", "colour=blue", "colour=green", "colour=red", "weight"}, m.Encoder().Features())
			file := exported(t, m)
			require.Equal(t, c.fills, file.fills)
			most := m.Encoder().Columns[1].MostFrequent
			require.Equal(t, `{"colour":"`+most+`"}`, file.imputed)

			head := "size,colour,weight" + strings.Repeat(",empty", strings.Count(c.training, "empty"))
			read := func(rows string) *dataset.Frame {
				f, err := dataset.ReadFrame(strings.NewReader(head+"\n"+rows), "new.csv", dataset.Options{For: m.Encoder(), Unlabeled: true})
				require.NoError(t, err)
				return f
			}
			end := strings.Repeat(",", strings.Count(c.training, "empty")) + "\n"
			complete := read("1,red,2" + end + "5,blue,3" + end + "2,violet,1" + end) // violet is unknown
			requireSameInONNX(t, m, complete, []float64{1, 0, 0, 1, 2, 5, 1, 0, 0, 3, 2, 0, 0, 0, 1})
			if !c.fills {
				out := onnxtest.Run(t, file.bytes, []float64{nan, 0, 0, 1, 2}, 1)
				require.True(t, math.IsNaN(float64(out.Scores[0])), "what cannot be filled in is not guessed")
				return
			}
			requireSameInONNX(t, m, read(",red,"+end+"5,,3"+end+",,"+end+",violet,7"+end), []float64{
				nan, 0, 0, 1, nan,
				5, nan, nan, nan, 3,
				nan, nan, nan, nan, nan,
				nan, 0, 0, 0, 7,
			})
		})
	}
}
