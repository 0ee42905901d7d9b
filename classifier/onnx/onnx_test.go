package onnx_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/classifier/internal/onnxtest"
	"github.com/pullback-go/pullback/classifier/onnx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// randomModel has layers of the given widths, inputs first. Weights keep the scores near 1.
func randomModel(random *rand.Rand, widths ...int) *onnx.Model {
	m := &onnx.Model{
		Negative: "benign", Positive: "malignant", Threshold: 0.25,
		Producer: "pullback", ProducerVersion: "v1.2.3",
	}
	for i := range widths[0] {
		m.Features = append(m.Features, fmt.Sprintf("feature %d", i))
		m.Mean = append(m.Mean, random.NormFloat64())
		m.Scale = append(m.Scale, math.Exp(random.NormFloat64()))
	}
	for i := range len(widths) - 1 {
		l := onnx.Layer{In: widths[i], Out: widths[i+1]}
		for range l.In * l.Out {
			l.Weight = append(l.Weight, float32(random.NormFloat64()/math.Sqrt(float64(l.In))))
		}
		for range l.Out {
			l.Bias = append(l.Bias, float32(random.NormFloat64()))
		}
		m.Layers = append(m.Layers, l)
	}
	return m
}

// forward returns what the model says about a row, by its definition.
func forward(m *onnx.Model, row []float64) (score, probability float64) {
	x := make([]float64, len(row))
	for j, v := range row {
		if m.Fill != nil && math.IsNaN(v) {
			v = m.Fill[j]
		}
		x[j] = (v - m.Mean[j]) / m.Scale[j]
	}
	for i, l := range m.Layers {
		y := make([]float64, l.Out)
		for k := range y {
			y[k] = float64(l.Bias[k])
			for j, v := range x {
				y[k] += v * float64(l.Weight[j*l.Out+k])
			}
			if i < len(m.Layers)-1 && y[k] < 0 {
				y[k] = 0
			}
		}
		x = y
	}
	return x[0], 1 / (1 + math.Exp(-x[0]))
}

func written(t testing.TB, m *onnx.Model) []byte {
	var b bytes.Buffer
	require.NoError(t, onnx.Write(&b, m))
	return b.Bytes()
}

// run runs the model in another runtime, on rows of the model's width.
func run(t testing.TB, m *onnx.Model, rows []float64) onnxtest.Output {
	t.Helper()
	return onnxtest.Run(t, written(t, m), rows, len(rows)/len(m.Features))
}

func TestAgainstRuntime(t *testing.T) {
	const tolerance = 1e-5 // of the score's size where that is above 1
	extreme := func(m *onnx.Model) {
		for j := range m.Features {
			m.Mean[j] = []float64{1.7e9, -3e-12, 20230101, 1e12, 0}[j%5]
			m.Scale[j] = []float64{0.25, 1e-14, 3, 1e5, 1e-200}[j%5]
		}
	}
	fill := func(m *onnx.Model) {
		for j := range m.Features {
			m.Fill = append(m.Fill, []float64{0.5, -2, 7}[j%3])
		}
	}
	for name, c := range map[string]struct {
		widths  []int
		rows    int
		change  func(m *onnx.Model)
		missing float64 // share of values
	}{
		"one feature":        {widths: []int{1, 1}, rows: 7},
		"logistic":           {widths: []int{30, 1}, rows: 20},
		"one row":            {widths: []int{30, 16, 1}, rows: 1},
		"one row of one":     {widths: []int{1, 1, 1}, rows: 1},
		"narrow":             {widths: []int{5, 1, 4, 1}, rows: 9},
		"default":            {widths: []int{30, 64, 32, 1}, rows: 50},
		"deep":               {widths: []int{8, 16, 16, 16, 16, 16, 1}, rows: 10},
		"wide":               {widths: []int{300, 257, 1}, rows: 5},
		"extreme scales":     {widths: []int{20, 8, 1}, rows: 30, change: extreme},
		"extreme and linear": {widths: []int{5, 1}, rows: 30, change: extreme},
		"missing":            {widths: []int{7, 8, 1}, rows: 40, change: fill, missing: 0.3},
		"all missing":        {widths: []int{7, 1}, rows: 3, change: fill, missing: 1},
		"none missing":       {widths: []int{7, 1}, rows: 10, change: fill},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(len(name))))
			m := randomModel(random, c.widths...)
			if c.change != nil {
				c.change(m)
			}
			var rows []float64
			for range c.rows {
				for j := range m.Features {
					v := m.Mean[j] + m.Scale[j]*2*random.NormFloat64()
					if random.Float64() < c.missing {
						v = math.NaN()
					}
					rows = append(rows, v)
				}
			}
			out := run(t, m, rows)
			for i := range c.rows {
				score, probability := forward(m, rows[i*len(m.Features):][:len(m.Features)])
				require.InDelta(t, score, out.Scores[i], tolerance*max(1, math.Abs(score)), "score of row %d", i)
				require.InDelta(t, probability, out.Probabilities[i], tolerance, "probability of row %d", i)
				require.Equal(t, out.Scores[i] >= m.Threshold, out.Positive[i], "decision of row %d", i)
			}
		})
	}
}

// A feature without a fill value passes NaN on; where none has one, no operator is added.
func TestFill(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	operators := func(m *onnx.Model) (names []string) {
		var model pb.ModelProto
		require.NoError(t, proto.Unmarshal(written(t, m), &model))
		for _, n := range model.Graph.Node {
			names = append(names, n.OpType)
		}
		return names
	}
	m := randomModel(random, 2, 3, 1)
	plain := []string{"Sub", "Div", "Cast", "Gemm", "Relu", "Gemm", "Sigmoid", "GreaterOrEqual"}
	require.Equal(t, plain, operators(m))
	m.Fill = []float64{math.NaN(), math.NaN()}
	require.Equal(t, plain, operators(m))
	m.Fill = []float64{math.NaN(), 0}
	require.Equal(t, append([]string{"IsNaN", "Where"}, plain...), operators(m))

	out := run(t, m, []float64{1, math.NaN(), math.NaN(), 1})
	want, _ := forward(m, []float64{1, 0})
	require.InDelta(t, want, out.Scores[0], 1e-5)
	require.NotZero(t, m.Layers[0].Weight[0])
	require.True(t, math.IsNaN(float64(out.Scores[1])))
	require.False(t, out.Positive[1], "as what is compared with NaN")
}

// Every field is read back by code generated from ONNX's own definition, which
// keeps fields that it does not know.
func TestMessages(t *testing.T) {
	m := randomModel(rand.New(rand.NewPCG(1, 2)), 2, 3, 1)
	m.Features = []string{"größe", `a"b<c`}
	m.Fill = []float64{math.NaN(), 4}
	m.Imputed = map[string]string{"größe": `b<"c`, "a": "x"}
	var model pb.ModelProto
	require.NoError(t, proto.Unmarshal(written(t, m), &model))

	require.EqualValues(t, 8, model.IrVersion)
	require.Len(t, model.OpsetImport, 1)
	require.Empty(t, model.OpsetImport[0].Domain)
	require.EqualValues(t, 13, model.OpsetImport[0].Version)
	require.Equal(t, "pullback", model.ProducerName)
	require.Equal(t, "v1.2.3", model.ProducerVersion)
	metadata := map[string]string{}
	for _, p := range model.MetadataProps {
		metadata[p.Key] = p.Value
	}
	require.Len(t, metadata, 4)
	require.JSONEq(t, `{"a": "x", "größe": "b<\"c"}`, metadata["imputed"])
	require.JSONEq(t, `["größe", "a\"b<c"]`, metadata["features"])
	require.JSONEq(t, `["benign", "malignant"]`, metadata["labels"])
	require.Equal(t, "0.25", metadata["threshold"])

	g := model.Graph
	require.NotEmpty(t, g.Name)
	value := func(v *pb.ValueInfoProto, name string, elements pb.TensorProto_DataType, columns int64) {
		tensorType := v.Type.GetTensorType()
		require.Equal(t, name, v.Name)
		require.EqualValues(t, elements, tensorType.ElemType)
		require.Len(t, tensorType.Shape.Dim, 2)
		require.Equal(t, "N", tensorType.Shape.Dim[0].GetDimParam())
		require.Equal(t, columns, tensorType.Shape.Dim[1].GetDimValue())
	}
	require.Len(t, g.Input, 1)
	require.Len(t, g.Output, 3)
	value(g.Input[0], "features", pb.TensorProto_DOUBLE, 2)
	value(g.Output[0], "score", pb.TensorProto_FLOAT, 1)
	value(g.Output[1], "probability", pb.TensorProto_FLOAT, 1)
	value(g.Output[2], "positive", pb.TensorProto_BOOL, 1)

	constants := map[string]any{}
	shapes := map[string]tensor.Shape{}
	for _, p := range g.Initializer {
		c, err := pb.TensorFromProto(p)
		require.NoError(t, err)
		constants[p.Name], shapes[p.Name] = c.Data(), c.Shape()
	}
	require.Equal(t, 4.0, constants["fill"].([]float64)[1])
	delete(constants, "fill")
	require.Equal(t, map[string]any{
		"mean": m.Mean, "scale": m.Scale, "threshold": []float32{0.25},
		"layer/0/weight": m.Layers[0].Weight, "layer/0/bias": m.Layers[0].Bias,
		"layer/1/weight": m.Layers[1].Weight, "layer/1/bias": m.Layers[1].Bias[0:1],
	}, constants)
	require.Equal(t, tensor.Shape{2, 3}, shapes["layer/0/weight"])
	require.Equal(t, tensor.Shape{3, 1}, shapes["layer/1/weight"])

	// Values are made once and before they are used, as the format demands.
	known := map[string]bool{"features": true}
	names := map[string]bool{}
	for _, p := range g.Initializer {
		require.False(t, known[p.Name], p.Name)
		known[p.Name] = true
	}
	for _, n := range g.Node {
		require.NotEmpty(t, n.Name)
		require.False(t, names[n.Name], n.Name)
		names[n.Name] = true
		for _, input := range n.Input {
			require.True(t, known[input], input)
		}
		require.Len(t, n.Output, 1)
		require.False(t, known[n.Output[0]], n.Output[0])
		known[n.Output[0]] = true
		for _, a := range n.Attribute {
			require.Equal(t, "Cast", n.OpType)
			require.Equal(t, "to", a.Name)
			require.Equal(t, pb.AttributeProto_INT, a.Type)
			require.EqualValues(t, pb.TensorProto_FLOAT, a.I)
		}
	}

	// The generated code writes the same fields, so nothing was in a field it does not know.
	require.Empty(t, model.ProtoReflect().GetUnknown())
	again, err := proto.Marshal(&model)
	require.NoError(t, err)
	var other pb.ModelProto
	require.NoError(t, proto.Unmarshal(again, &other))
	require.True(t, proto.Equal(&model, &other))
	require.Equal(t, written(t, m), written(t, m), "the same model gives the same bytes")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *onnx.Model)
		want   string
	}{
		"no features":     {func(m *onnx.Model) { m.Features = nil }, "the model has no features; at least one is needed"},
		"no labels":       {func(m *onnx.Model) { m.Negative = "" }, `the classes are named "" and "malignant", but must have two different names`},
		"one label":       {func(m *onnx.Model) { m.Negative = m.Positive }, `the classes are named "malignant" and "malignant", but must have two different names`},
		"threshold":       {func(m *onnx.Model) { m.Threshold = float32(math.Inf(1)) }, "the threshold is +Inf, but it must be a finite score"},
		"threshold NaN":   {func(m *onnx.Model) { m.Threshold = float32(math.NaN()) }, "the threshold is NaN, but it must be a finite score"},
		"means":           {func(m *onnx.Model) { m.Mean = m.Mean[1:] }, "there are 3 features, 2 means, 3 scales and 0 fill values, but there must be as many of each (or no fill values)"},
		"scales":          {func(m *onnx.Model) { m.Scale = nil }, "there are 3 features, 3 means, 0 scales and 0 fill values, but there must be as many of each (or no fill values)"},
		"fills":           {func(m *onnx.Model) { m.Fill = []float64{1} }, "there are 3 features, 3 means, 3 scales and 1 fill values, but there must be as many of each (or no fill values)"},
		"UTF-8 imputed":   {func(m *onnx.Model) { m.Imputed = map[string]string{"a": "\xf6"} }, `the name "\xf6" is not UTF-8, but every name and version must be`},
		"UTF-8":           {func(m *onnx.Model) { m.Features[1] = "gr\xf6\xdfe" }, `the name "gr\xf6\xdfe" is not UTF-8, but every name and version must be`},
		"feature twice":   {func(m *onnx.Model) { m.Features[2] = m.Features[0] }, `feature 2 is named "feature 0", but each must have a name of its own`},
		"feature unnamed": {func(m *onnx.Model) { m.Features[1] = "" }, `feature 1 is named "", but each must have a name of its own`},
		"mean":            {func(m *onnx.Model) { m.Mean[1], m.Scale[1] = math.Inf(1), 2 }, `feature "feature 1" has mean +Inf and scale 2, but both must be finite and the scale above 0`},
		"scale":           {func(m *onnx.Model) { m.Mean[1], m.Scale[1] = 1, 0 }, `feature "feature 1" has mean 1 and scale 0, but both must be finite and the scale above 0`},
		"scale NaN":       {func(m *onnx.Model) { m.Mean[1], m.Scale[1] = 1, math.NaN() }, `feature "feature 1" has mean 1 and scale NaN, but both must be finite and the scale above 0`},
		"fill":            {func(m *onnx.Model) { m.Fill = []float64{1, math.Inf(-1), 1} }, `feature "feature 1" has the fill value -Inf, but it must be finite, or NaN for none`},
		"no layers":       {func(m *onnx.Model) { m.Layers = nil }, "the model has no layers; at least one is needed"},
		"inputs":          {func(m *onnx.Model) { m.Layers[1].In = 5 }, "layer 1 has 5 inputs, but gets 4"},
		"outputs":         {func(m *onnx.Model) { m.Layers[0].Out = -4 }, "layer 0 has -4 outputs, but must have from 1 to 178956970"},
		"overflow":        {func(m *onnx.Model) { m.Layers[0].Out = math.MaxInt }, fmt.Sprintf("layer 0 has %d outputs, but must have from 1 to 178956970", math.MaxInt)},
		"weights":         {func(m *onnx.Model) { m.Layers[0].Weight = m.Layers[0].Weight[1:] }, "layer 0 has 11 weights and 4 biases, but must have 12 and 4"},
		"biases":          {func(m *onnx.Model) { m.Layers[0].Bias = nil }, "layer 0 has 12 weights and 0 biases, but must have 12 and 4"},
		"weight":          {func(m *onnx.Model) { m.Layers[1].Weight[3] = float32(math.NaN()) }, "layer 1 has the weight or bias NaN, but all must be finite"},
		"last layer":      {func(m *onnx.Model) { m.Layers = m.Layers[:1] }, "the last layer has 4 outputs, but must have 1, the score"},
	} {
		t.Run(name, func(t *testing.T) {
			m := randomModel(rand.New(rand.NewPCG(1, 2)), 3, 4, 1)
			c.change(m)
			var out bytes.Buffer
			require.EqualError(t, onnx.Write(&out, m), "onnx: "+c.want)
			require.Zero(t, out.Len())
		})
	}
	require.EqualError(t, onnx.Write(nil, nil), "onnx: the model is nil")
	m := randomModel(rand.New(rand.NewPCG(1, 2)), 3, 1)
	require.EqualError(t, onnx.Write(nil, m), "onnx: the writer is nil; pass a file or a buffer")
	require.EqualError(t, onnx.Write(brokenWriter{}, m), "onnx: the model cannot be written: disk full")
}
