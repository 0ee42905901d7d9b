package casefile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/bench/internal/calls"
	"github.com/pullback-go/pullback/bench/internal/casefile"
	"github.com/pullback-go/pullback/device"
)

// read reads all cases.
func read(r io.Reader) (*casefile.File, []casefile.Case, error) {
	f, err := casefile.Read(r)
	var list []casefile.Case
	for err == nil {
		var c *casefile.Case
		if c, err = f.Next(); err == nil {
			list = append(list, *c)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return f, list, err
}

const vector = `{"dtype":"float32","shape":[1],"bits":["3f800000"]}`

// TestHostileFiles: whatever is wrong with a file is one sentence.
func TestHostileFiles(t *testing.T) {
	loss := func(self, want string) string {
		return `[{"self":` + self + `,"target":` + vector + `,"reduction":0,"loss":` + want + `}]`
	}
	good := `{"dtype":"float32","shape":[1],"float64":["3fd40d38dec91174"]}`
	many := `{"op":"forward","self":{"dtype":"float16","shape":[4000000]},"code":0},`
	_, _, err := read(strings.NewReader(loss(vector, good)))
	require.NoError(t, err)
	for _, c := range []struct{ text, names string }{
		{"", "empty"},
		{"hello", "JSON"},
		{"{", "JSON"},
		{"[", "JSON"},
		{"[]", "empty"},
		{"[1]", "case 1"},
		{"[{}]", "case 1"},
		{"\x1f\x8bnot gzip", "gzip"},
		{"null", "JSON"},
		{`{"dtype":"int8","rows":[["00","00","00","00"]]}`, "int8"},
		{`{"dtype":"float32","rows":[]}`, "no rows"},
		{`{"dtype":"float32","rows":[["3f800000"]]}`, "row 1"},
		{`{"dtype":"float32","rows":[["3f800000","3f800000","3f80","3f800000"]]}`, "row 1"},
		{`{"dtype":"float32","rows":[["zzzzzzzz","3f800000","3f800000","3f800000"]]}`, "zzzzzzzz"},
		{loss("null", good), "self"},
		{loss(`{"dtype":"float32","shape":[2],"bits":["3f800000"]}`, good), "self"},
		{loss(`{"dtype":"float32","shape":[1],"strides":[1,1],"bits":["3f800000"]}`, good), "self"},
		{loss(`{"dtype":"float32","shape":[2],"strides":[-1],"bits":["3f800000"]}`, good), "self"},
		{loss(`{"dtype":"float32","shape":[1],"offset":-1,"bits":["3f800000"]}`, good), "self"},
		{loss(`{"dtype":"float32","shape":[-1],"bits":["3f800000"]}`, good), "self"},
		{loss(`{"dtype":"float32","shape":[9223372036854775807],"strides":[0],"bits":["3f800000"]}`, good), "self"},
		{loss(`{"dtype":"float32","shape":[1000000000],"strides":[0],"bits":["3f800000"]}`, good), "self"},
		{loss(`{"dtype":"float32","shape":[3000000],"strides":[0],"bits":["3f800000"]}`, good), "output"},
		{loss(`{"dtype":"float32","shape":[1,1,1,1,1,1,1,1,1],"bits":["3f800000"]}`, good), "rank 9"},
		{loss(vector, `{"dtype":"float32","shape":[1],"float64":[]}`), "output"},
		{loss(vector, `{"dtype":"float32","shape":[2],"float64":["3fd40d38dec91174","3fd40d38dec91174"]}`), "output"},
		{strings.Replace(loss(vector, good), `"reduction":0,`, "", 1), "reduction"},
		{strings.Replace(loss(vector, good), `"reduction":0,`, `"reduction":7,`, 1), "7"},
		{`[{"op":"Frobnicate","inputs":[],"output":` + good + `}]`, "Frobnicate"},
		{`[{"op":"Neg","output":` + good + `}]`, "Neg"},
		{`[{"op":"Neg","attributes":{"Speed":1},"inputs":[` + vector + `],"output":` + good + `}]`, "Speed"},
		{`[{"op":"MatMul","inputs":[` + vector + `,` + vector + `],"output":` + good + `}]`, "MatMul"},
		{`[{"op":"Neg","inputs":[` + vector + `],"output":` + good + `,"loss":` + good + `}]`, "one or the other"},
		{`[{"op":"Neg","inputs":[` + strings.Repeat("{},", 1<<16) + `{}]}]`, "16 inputs"},
		{`[{"op":"Neg","inputs":{},"output":` + good + `}]`, "inputs"},
		{"[" + strings.Repeat("0,", 1<<16) + "0]", "case 1"},
		{`{"dtype":"float32","rows":[` + strings.Repeat("[],", 1<<20) + "[]]}", "rows that can be handled"},
		{`{"dtype":"float32","rows":[[` + strings.Repeat(`"",`, 1<<16) + `""]]}`, "row 1"},
		{loss(`{"dtype":"float32","shape":[1],"bits":[`+strings.Repeat(`"",`, 1<<16)+`""]}`, good), "number 0"},
		{"[" + strings.Repeat(many, 20), "all cases"},
		{`[{"op":"forward","self":{"dtype":"float64","shape":[4000000]},"target":{"dtype":"float64","shape":[4000000]},"code":0}]`, "target: the tensors of this case"},
		{strings.TrimSuffix(loss(vector, good), "]"), "JSON"},
		{loss(vector, good) + "xx", "JSON"},
		{loss(`{"dtype":"float32","shape":[1],"bits":"3f800000"}`, good), "list"},
		{`[{"op":"sideways","code":0}]`, "sideways"},
		{`[{"op":"forward","code":0},{"op":"forward"}]`, "case 2"},
		{`[{"op":"forward","self":{"dtype":"float32","shape":[1000000000000]},"code":0}]`, "self"},
		{`[{"op":"forward","self":{"dtype":"float32","shape":[2],"strides":[1000000000000]},"code":0}]`, "self"},
		{`[{"op":"forward","self":{"dtype":"float32","shape":[2],"offset":1000000000000},"code":0}]`, "self"},
	} {
		_, _, err := read(strings.NewReader(c.text))
		require.ErrorContains(t, err, c.names, c.text)
		require.NotContains(t, err.Error(), "\n", c.text)
	}
}

// TestRoundTrip: what is written is read back, number for number, with and without gzip.
func TestRoundTrip(t *testing.T) {
	self := calls.New(device.BFloat16, []int{2, 2}, []float64{0, math.Copysign(0, -1), math.Inf(1), 3})
	self.Strides = []int{1, 2}
	output := calls.New(device.Float16, []int{2, 2}, make([]float64, 4))
	output.Strides, output.Offset, output.Data = []int{2, 1}, 1, append(output.Data, 0, 0)
	want := calls.Call{Op: device.LeakyReLU{NegativeSlope: 0.1}, Inputs: []calls.Tensor{self}, Output: output}
	var b bytes.Buffer
	require.NoError(t, casefile.Write(&b, slices.Values([][]calls.Call{{want}})))
	data := b.Bytes()
	require.LessOrEqual(t, len(data), casefile.Bytes(4, 4, device.BFloat16)+len("[]\n\n"))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	for _, stored := range [][]byte{data, zipped.Bytes()} {
		file, cases, err := read(bytes.NewReader(stored))
		require.NoError(t, err)
		require.Equal(t, casefile.Tensors, file.Format)
		require.Len(t, cases, 1)
		require.Len(t, cases[0].Checks, 1)
		got := cases[0].Checks[0]
		require.Equal(t, want.Op, got.Op)
		require.Equal(t, want.Inputs, got.Inputs)
		require.Equal(t, want.Output.Strides, got.Output.Strides)
		require.Equal(t, 1, got.Output.Offset)
		require.Len(t, got.Output.Data, len(output.Data))
		numbers, err := want.Want()
		require.NoError(t, err)
		require.Equal(t, numbers, got.Want)
	}
}

// FuzzRead: no file makes the reader panic or take more than it should.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"status.json", "pointwise_float16.json"} {
		data, err := os.ReadFile("../../../ops/softmarginloss/testdata/" + name)
		require.NoError(f, err)
		f.Add(data[:min(len(data), 4000)])
	}
	f.Add([]byte(`[{"self":` + vector + `,"target":` + vector + `,"reduction":1,"loss":{"dtype":"float32","shape":[],"float64":["3fd40d38dec91174"]}}]`))
	f.Add([]byte(`[{"op":"MatMul","attributes":{"TransposeSelf":true},"inputs":[{"dtype":"float32","shape":[1,1],"bits":["3f800000"]},` +
		`{"dtype":"float32","shape":[1,1],"strides":[0,0],"bits":["3f800000"]}],"output":{"dtype":"float16","shape":[1,1],"offset":3,"float64":["3ff0000000000000"]}}]`))
	f.Add([]byte(`[{"op":"ReduceSum","attributes":{"Axes":1,"KeepDims":true},"inputs":[` + vector + `],"output":{"dtype":"float32","shape":[1],"float64":["3ff0000000000000"],"scale":["7ff8000000000000"]}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, cases, err := read(bytes.NewReader(data))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, cases)
		next := 0
		for _, c := range cases {
			require.Equal(t, next, c.Number)
			next += c.Rows
			for _, k := range c.Checks {
				if k.Want != nil {
					require.Len(t, k.Want, device.Elements(k.Result().Shape))
				}
			}
		}
	})
}
