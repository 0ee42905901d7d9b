package devicetest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pullback-go/pullback/device"
)

// Every type in package device that has a Name method with no parameters is an
// operation's descriptor.
func TestEveryOpHasARow(t *testing.T) {
	rows := map[string]bool{}
	for _, c := range cases() {
		for _, cl := range c.calls {
			typ := reflect.TypeOf(cl.op)
			require.Equal(t, typ.Name(), cl.op.Name(), "an operation is named after its descriptor")
			require.Equal(t, c.name(), cl.op.Name(), "a row is one operation's")
			require.True(t, typ.Comparable(), "descriptors are comparable")
			rows[typ.Name()] = true
		}
	}
	delete(rows, Hypotenuse{}.Name()) // which is this package's own
	files, err := filepath.Glob("../*.go")
	require.NoError(t, err)
	ops := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Name" && f.Type.Params.NumFields() == 0 {
				ops[f.Recv.List[0].Type.(*ast.Ident).Name] = true
			}
		}
	}
	require.Greater(t, len(ops), 30)
	require.Equal(t, ops, rows, "the operations of package device, and those with a row in the suite")
}

// Every row must have what its passes need.
func TestRowsAreComplete(t *testing.T) {
	for _, c := range cases() {
		probes := 0
		for _, cl := range c.calls {
			require.LessOrEqual(t, len(cl.shapes), len(c.operands), c.name())
			if cl.probe {
				probes++
			}
		}
		require.Positive(t, probes, "%s: no call to try layouts and dtypes with", c.name())
		require.GreaterOrEqual(t, c.ulp, 0.5, c.name())
	}
}

// allocations is the one thing that the model cannot pass.
const allocations = "LaunchAllocatesNothing"

func TestModel(t *testing.T) {
	dev, err := device.Open("model")
	require.NoError(t, err)
	list := checks(Options{})
	if raceDetector() {
		list = list[len(cases()):] // the rows have nothing to race about, and take long
	}
	for _, c := range list {
		if c.name != allocations {
			t.Run(c.name, func(t *testing.T) { c.run(t, dev) })
		}
	}
}

// What a device is said to lack is not asked for, but must be refused.
func TestOptions(t *testing.T) {
	if raceDetector() {
		t.Skip("takes long and has nothing to race about")
	}
	for _, test := range []struct {
		fault  string
		o      Options
		checks []string
	}{
		{"Exp is missing", Options{Without: []string{"Exp"}}, []string{"Exp", "PhaseOne", "Workspace"}},
		{"float16 is missing", Options{DTypes: []device.DType{device.BFloat16, device.Float32, device.Float64}}, []string{"Sqrt", "Cast", "SGD", "PhaseOne", "Unsupported"}},
		{"", Options{DTypes: []device.DType{device.Float64}}, []string{"Tanh", "Adagrad", "PhaseOne"}},
		{"three ulp off", Options{ULP: map[string]float64{"Neg": 3.5}}, []string{"Neg"}},
	} {
		for _, name := range test.checks {
			require.Empty(t, failure(t, test.fault, name, test.o), "%s with %+v", name, test.o)
		}
	}
	require.Contains(t, failure(t, "", "Exp", Options{Without: []string{"Exp"}}), "does not have")
	require.Contains(t, failure(t, "", "Unsupported", Options{DTypes: dtypes[:1]}), "float16")
}

func TestSameBits(t *testing.T) {
	for _, c := range cases() {
		if c.name() == "Sqrt" {
			for fault, want := range map[string]string{"": "", "one ulp off": "other bits"} {
				found := record(func(t require.TestingT) {
					c.checkSame(t, &model{}, &model{fault: fault}, Options{ULP: map[string]float64{"Sqrt": 2}})
				})
				require.Contains(t, found, want)
				require.Equal(t, want == "", found == "", found)
			}
		}
	}
}

// recorder is a testing.T that may fail.
type recorder struct{ message string }

func (r *recorder) Errorf(format string, args ...any) { r.message += fmt.Sprintf(format, args...) }
func (r *recorder) FailNow()                          { runtime.Goexit() }

// record returns what run complains of.
func record(run func(t require.TestingT)) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(r)
	}()
	<-done
	return r.message
}

// failure runs the check of the given name on the model with a fault and returns
// its first complaint.
func failure(t *testing.T, fault, name string, o Options) string {
	dev, err := device.Open("model:" + fault)
	require.NoError(t, err)
	found, complaint := false, ""
	for _, c := range checks(o) {
		if c.name == name && complaint == "" {
			found = true
			complaint = record(func(t require.TestingT) { c.run(t, dev) })
		}
	}
	require.True(t, found, name)
	return complaint
}

// A suite that passes everything is worth nothing: each fault must be found, by
// the check that looks for it, with a message that says what is wrong.
func TestFaultsAreFound(t *testing.T) {
	if raceDetector() {
		t.Skip("the thinned suite does not find them all")
	}
	for _, test := range []struct{ fault, check, message string }{
		{"tail skipped", "Square", "element 1036"},
		{"last block skipped", "Add", "element 100001"},
		{"offset ignored", "Neg", "offset"},
		{"output offset ignored", "Neg", "to float32 offset"},
		{"strides ignored", "Add", "transposed"},
		{"output strides ignored", "MatMul", "to float32 transposed"},
		{"strides ignored", "Copy", "transposed"},
		{"writes behind the end", "Exp", "no element of the output"},
		{"writes between elements", "Exp", "no element of the output"},
		{"writes behind the end", "SGD", "no element of the output"},
		{"input changed", "ReLU", "changed input 0"},
		{"not deterministic", "Tanh", "other bits"},
		{"not deterministic", "Adam", "other bits"},
		{"accumulates", "Linear", "ulp"},
		{"truncates", "Cast", "bfloat16"},
		{"NaN lost", "Maximum", "NaN"},
		{"three ulp off", "SoftMarginLoss", "3 ulp of float32"},
		{"three ulp off", "Add", "ulp of float32"},
		{"three ulp off", "Sigmoid", "3 ulp of float32"},
		{"plan writes", "PhaseOne", "wrote to memory"},
		{"no checks of the output", "PhaseOne", "output with a negative offset"},
		{"short copies", "UploadDownload", "refused"},
		{"closed stream", "UseAfterClose", "closed stream"},
		{"workspace", "Workspace", "without the workspace"},
		{"foreign buffers", "OtherDevice", "another device's"},
		{"", allocations, "allocates"},
		{"Exp is missing", "Exp", "no such operation"},
		{"float16 is missing", "Neg", "float16"},
	} {
		t.Run(test.fault+"/"+test.check, func(t *testing.T) {
			require.Contains(t, failure(t, test.fault, test.check, Options{}), test.message)
		})
	}
}
