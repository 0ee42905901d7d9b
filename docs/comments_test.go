package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// standard are the methods of the standard library's interfaces, which explains them.
var standard = []string{"String", "Error", "Unwrap"}

// TestComments: each package says what it is, and explains whatever it exports. A method of the standard
// library's or one of the module's interfaces is explained there.
func TestComments(t *testing.T) {
	type place struct {
		name   *ast.Ident
		file   string
		line   int
		method bool
	}
	var bare []place
	promised := map[string]bool{} // methods of interfaces
	for _, name := range standard {
		promised[name] = true
	}
	explained := 0
	for _, p := range list(t, "./...") {
		if p.ImportPath == module+"/docs" { // which has tests only
			continue
		}
		entries, err := os.ReadDir(p.Dir)
		require.NoError(t, err)
		files := token.NewFileSet()
		introduced := false
		for _, entry := range entries { // of every operating system and architecture
			if filepath.Ext(entry.Name()) != ".go" || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, entry.Name()), nil, parser.ParseComments)
			require.NoError(t, err)
			introduced = introduced || file.Doc != nil && len(strings.Fields(file.Doc.Text())) > 5
			if p.Name == "main" || strings.Contains(p.ImportPath, "/internal/") {
				continue
			}
			eachExported(file, func(e exported) {
				if slices.ContainsFunc(e.comments, func(c *ast.CommentGroup) bool { return strings.TrimSpace(c.Text()) != "" }) {
					explained++
					promised[e.name.Name] = promised[e.name.Name] || e.kind == promise
					return
				}
				at := files.Position(e.name.Pos())
				bare = append(bare, place{e.name, at.Filename, at.Line, e.kind == method})
			})
		}
		if !introduced {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
	for _, b := range bare {
		if !b.method || !promised[b.name.Name] {
			t.Errorf("%s:%d: %s is exported, but nothing says what it is", b.file, b.line, b.name.Name)
		}
	}
	require.Greater(t, explained, 300)
}

// exported is a name that a file exports, with the comments that may explain it.
type exported struct {
	name     *ast.Ident
	kind     kind
	comments []*ast.CommentGroup
}

type kind int

const (
	other   kind = iota
	method       // of a type
	promise      // a method of an interface
)

// eachExported calls f with each name that a file exports, fields of structs excepted: the comment of the struct
// is theirs, too.
func eachExported(file *ast.File, f func(exported)) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			switch {
			case !d.Name.IsExported():
			case d.Recv == nil:
				f(exported{d.Name, other, []*ast.CommentGroup{d.Doc}})
			case ast.IsExported(receiver(d.Recv.List[0].Type)):
				f(exported{d.Name, method, []*ast.CommentGroup{d.Doc}})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if !s.Name.IsExported() {
						continue
					}
					f(exported{s.Name, other, []*ast.CommentGroup{s.Doc, s.Comment, d.Doc}})
					if i, ok := s.Type.(*ast.InterfaceType); ok {
						for _, m := range i.Methods.List {
							for _, name := range m.Names {
								comments := []*ast.CommentGroup{m.Doc, m.Comment}
								if name.Name == s.Name.Name { // a mark, which the interface's comment explains
									comments = append(comments, s.Doc, d.Doc)
								}
								f(exported{name, promise, comments})
							}
						}
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							f(exported{name, other, []*ast.CommentGroup{s.Doc, s.Comment, d.Doc}})
						}
					}
				}
			}
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
