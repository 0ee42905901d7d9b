//go:build linux

package simulator

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
)

//go:embed include csrc
var sources embed.FS

// library is a shared library: the folder of csrc that it is made of, and the ones that it needs.
type library struct {
	name  string
	needs []string
}

// libraries lists the libraries, each after those that it needs.
var libraries = []library{
	{name: "ascendcl"},
	{name: "acl_op_compiler", needs: []string{"ascendcl"}},
	{name: "nnopbase", needs: []string{"ascendcl"}},
	{name: "opapi", needs: []string{"nnopbase", "ascendcl"}},
}

// files returns the C files of a library, in a fixed order.
func (l library) files() ([]string, error) {
	files, err := fs.Glob(sources, path.Join("csrc", l.name, "*.c"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	return append(files, "csrc/marker.c"), nil
}

// hashSources returns a hash of all sources and of whatever else a build depends on.
func hashSources(rest ...string) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := sources.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(content), content)
		return err
	})
	return hash(append(rest, string(h.Sum(nil)))...), err
}

// hash returns a name for strings.
func hash(of ...string) string {
	h := sha256.New()
	for _, s := range of {
		fmt.Fprintf(h, "%d\n%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// unpack writes a folder of the sources to dir.
func unpack(root, dir string) error {
	return fs.WalkDir(sources, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		content, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
}
