package docs_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// given are the names that the pages' code takes as given, with their types; nothing else may be missing.
var given = map[string]string{
	"ctx":        "context.Context",
	"dev":        "device.Device",
	"train":      "*dataset.Frame",
	"gradOutput": "device.View",
	"self":       "device.View",
	"target":     "device.View",
	"gradInput":  "device.View",
	"stream":     "device.Stream",
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// TestCode: the Go code of the pages compiles, but for results that it leaves unused. Code that lists its imports
// must list all.
func TestCode(t *testing.T) {
	importable := []string{"context", "gorgonia.org/tensor"}
	for _, p := range list(t, "./...") {
		if !strings.Contains(p.ImportPath, "/internal/") && p.Name != "main" && p.ImportPath != module+"/docs" {
			importable = append(importable, p.ImportPath)
		}
	}
	exports := map[string]string{}
	for _, p := range list(t, append([]string{"-export", "-deps"}, importable...)...) {
		exports[p.ImportPath] = p.Export
	}
	files := token.NewFileSet()
	compiled := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })

	all, err := pages()
	require.NoError(t, err)
	blocks := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		for _, at := range goBlock.FindAllStringSubmatchIndex(text, -1) {
			blocks++
			body, line := text[at[2]:at[3]], 1+strings.Count(text[:at[2]], "\n")
			for _, problem := range check(t, files, compiled, importable, name, line, body) {
				t.Error(problem)
			}
		}
	}
	require.GreaterOrEqual(t, blocks, 3)
}

// check returns what a compiler would say of the statements, which begin in a line of a page.
func check(t *testing.T, files *token.FileSet, compiled types.Importer, importable []string, page string, line int, body string) (problems []string) {
	imports := `import ("` + strings.Join(importable, `"; "`) + `"); `
	if strings.HasPrefix(body, "import ") {
		end := strings.Index(body, ")\n") + 2
		line += strings.Count(body[:end], "\n")
		imports, body = `import "context"; `+strings.ReplaceAll(strings.ReplaceAll(body[:end-1], "(\n", "("), "\n", ";")+"; ", body[end:]
	}
	for missing := ""; ; {
		source := fmt.Sprintf("package page; %s func _() { %s {\n//line %s:%d\n%s}}\n", imports, missing, page, line, body)
		file, err := parser.ParseFile(files, page, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		problems = nil
		var undefined []string
		conf := types.Config{Importer: compiled, Error: func(err error) {
			var problem types.Error
			if errors.As(err, &problem) && problem.Soft { // unused
				return
			}
			if name, ok := strings.CutPrefix(problem.Msg, "undefined: "); ok && given[name] != "" {
				undefined = append(undefined, name)
			}
			problems = append(problems, err.Error())
		}}
		_, _ = conf.Check("page", files, []*ast.File{file}, nil) // whose error is the first of those
		if len(undefined) == 0 {
			return problems
		}
		slices.Sort(undefined)
		for _, name := range slices.Compact(undefined) {
			missing += "var " + name + " " + given[name] + "; "
		}
	}
}

// TestMistake: a mistake gives the error that the README shows.
func TestMistake(t *testing.T) {
	shown := regexp.MustCompile(`(?m)^    graph: \S*/(\w+\.go):\d+: (.*), …$`).FindStringSubmatch(page(t, "README.md"))
	require.NotNil(t, shown)
	dev, err := device.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, dev.Close()) }()
	session, err := graph.NewSession(dev)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	step := session.Function(func(_ *graph.Graph, in []*graph.Node) []*graph.Node {
		return []*graph.Node{softmarginloss.Forward(in[0], in[1], device.Mean)}
	})
	_, err = step.RunScalar(tensor.New(tensor.WithShape(32, 1), tensor.Of(tensor.Float32)), tensor.New(tensor.WithShape(32), tensor.Of(tensor.Float32)))
	require.ErrorContains(t, err, "code_test.go:")
	require.ErrorContains(t, err, shown[2])
}
