package docs_test

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayImport says for each package which of the module's it may import, as ARCHITECTURE.md draws it. A name
// with /... stands for a package and those below it.
var mayImport = map[string][]string{
	"device":                  nil,
	"device/devicetest":       {"device"},
	"device/cpu":              {"device"},
	"device/ascend":           {"device", "device/ascend/acl", "device/ascend/simulator"},
	"device/ascend/acl":       {"device"},
	"device/ascend/simulator": nil,
	"graph":                   {"device"},
	"graph/gradcheck":         {"graph", "device"},
	"ops":                     {"graph", "device"},
	"ops/softmarginloss":      {"ops", "graph", "device"},
	"nn":                      {"ops", "graph", "device"},
	"optim":                   {"ops", "graph", "device"},
	"dataset":                 nil,
	"classifier":              {"classifier/metrics", "classifier/onnx", "nn", "optim", "dataset", "ops/...", "graph", "device"},
	"classifier/metrics":      nil,
	"classifier/onnx":         nil,
	"classifier/report":       {"classifier", "classifier/metrics", "dataset"},
	"cmd/ascendsim":           {"device/ascend/simulator"},
	"internal/atomicfile":     nil, // which serves all
	// bench is a command, and compares: it may see whatever is above the devices but the classifier.
	"bench": {"device/...", "graph", "ops/...", "nn", "optim"},
	// An example may import whatever a user may.
	"examples": {"classifier/...", "dataset", "nn", "optim", "ops/...", "graph/...", "device", "device/cpu", "device/ascend"},
}

// TestImports: imports point one way.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if name == "docs" { // this package
			continue
		}
		owner, _, _ := strings.Cut(name, "/internal/") // an internal package has its owner's rule
		if strings.HasPrefix(name, "examples/") {
			owner = "examples"
		}
		allowed, known := mayImport[owner]
		if !known {
			t.Errorf("%s is a new package: draw it in ARCHITECTURE.md, and say here what it may import", name)
			continue
		}
		seen[owner] = true
		for _, imported := range p.Imports {
			imported, ours := strings.CutPrefix(imported, module+"/")
			internal := strings.Contains("/"+imported, "/internal/") // who may import it is Go's own rule
			if ours && !internal && !matches(imported, allowed) {
				t.Errorf("%s imports %s, which is not below it; see ARCHITECTURE.md", name, imported)
			}
		}
	}
	require.Len(t, seen, len(mayImport), "a package of the table is gone")

	drawing := page(t, "ARCHITECTURE.md")
	for name := range mayImport {
		if !strings.Contains(drawing, path.Base(name)) {
			t.Errorf("ARCHITECTURE.md does not mention %s", name)
		}
	}
}

// matches reports whether a package is one of a list, in which a/... stands for a and those below.
func matches(name string, patterns []string) bool {
	for _, pattern := range patterns {
		above, below := strings.CutSuffix(pattern, "/...")
		if name == above || below && strings.HasPrefix(name, above+"/") {
			return true
		}
	}
	return false
}
