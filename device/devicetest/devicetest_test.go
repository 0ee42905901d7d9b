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

func TestModel(t *testing.T) { Run(t, "model", Options{}) }

func TestModelSame(t *testing.T) { RunSame(t, "model", "model", Options{}) }

func TestModelThatLacks(t *testing.T) {
	Run(t, "model:Exp is missing", Options{Without: []string{"Exp"}})
	Run(t, "model:float16 is missing", Options{DTypes: []device.DType{device.BFloat16, device.Float32, device.Float64}})
}

// recorder is a testing.T that may fail.
type recorder struct{ message string }

func (r *recorder) Errorf(format string, args ...any) { r.message += fmt.Sprintf(format, args...) }
func (r *recorder) FailNow()                          { runtime.Goexit() }

// A suite that passes everything is worth nothing: each fault must be found, by
// the check that looks for it, with a message that says what is wrong.
func TestFaultsAreFound(t *testing.T) {
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
		{"Exp is missing", "Exp", "no such operation"},
		{"float16 is missing", "Neg", "float16"},
	} {
		t.Run(test.fault+"/"+test.check, func(t *testing.T) {
			dev, err := device.Open("model:" + test.fault)
			require.NoError(t, err)
			found := ""
			for _, c := range checks(Options{}) {
				if c.name != test.check || found != "" {
					continue
				}
				r := &recorder{}
				done := make(chan struct{})
				go func() {
					defer close(done)
					c.run(r, dev)
				}()
				<-done
				found = r.message
			}
			require.Contains(t, found, test.message)
		})
	}
}
