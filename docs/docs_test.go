// Package docs_test holds the documentation to the code: that what is written compiles, runs and
// prints what is shown, that links lead somewhere, that whatever is exported is explained, and that
// imports point the way ARCHITECTURE.md says.
package docs_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const (
	root   = ".." // of the module
	module = "github.com/pullback-go/pullback"
)

// pages are the Markdown files of the module by path, with the text of each.
var pages = sync.OnceValues(func() (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = strings.ReplaceAll(string(text), "\r\n", "\n")
		return err
	})
	return files, err
})

// page returns the text of a page.
func page(t *testing.T, name string) string {
	t.Helper()
	all, err := pages()
	require.NoError(t, err)
	require.Contains(t, all, name)
	return all[name]
}

// golang is what go list says of a package.
type golang struct {
	ImportPath, Name, Dir, Export string
	Imports                       []string
}

// list returns the packages of a go list command.
func list(t *testing.T, args ...string) []golang {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Name,Dir,Export,Imports"}, args...)...)
	cmd.Dir = root
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, problems.String())
	var packages []golang
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p golang
		err := decoder.Decode(&p)
		if err == io.EOF {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}
