package docs_test

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(<?([^)>\s]+)>?\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// TestLinks: whatever a page refers to inside the repository is there, headings included.
func TestLinks(t *testing.T) {
	all, err := pages()
	require.NoError(t, err)
	followed := 0
	for name, text := range all {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			to, err := url.Parse(match[1])
			require.NoError(t, err, "%s: %s", name, match[1])
			if to.Scheme != "" {
				continue
			}
			followed++
			target := filepath.ToSlash(filepath.Clean(filepath.Join(filepath.Dir(name), to.Path)))
			if to.Path == "" {
				target = name
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, and there is no %s", name, match[1], target)
			}
			if to.Fragment != "" && !hasHeading(all[target], to.Fragment) {
				t.Errorf("%s links to %s, and %s has no such heading", name, match[1], target)
			}
		}
	}
	require.Greater(t, followed, 20)
}

var (
	packagePath = regexp.MustCompile(`[ ` + "`" + `]\./(\w[\w/]*)`)
	sourceFile  = regexp.MustCompile("`(\\w+\\.go)`")
)

// TestPaths: the packages of commands and the source files that pages speak of are there.
func TestPaths(t *testing.T) {
	all, err := pages()
	require.NoError(t, err)
	sources := map[string]bool{}
	for _, p := range list(t, "./...") {
		entries, err := os.ReadDir(p.Dir)
		require.NoError(t, err)
		for _, entry := range entries {
			sources[entry.Name()] = true
		}
	}
	found := 0
	for name, text := range all {
		for _, match := range packagePath.FindAllStringSubmatch(text, -1) {
			top, _, _ := strings.Cut(match[1], "/")
			if _, err := os.Stat(filepath.Join(root, top)); err != nil {
				continue // a program of the reader's
			}
			found++
			if _, err := os.Stat(filepath.Join(root, match[1])); err != nil {
				t.Errorf("%s speaks of ./%s, which is not there", name, match[1])
			}
		}
		for _, match := range sourceFile.FindAllStringSubmatch(text, -1) {
			found++
			if !sources[match[1]] {
				t.Errorf("%s speaks of %s, and no package has such a file", name, match[1])
			}
		}
	}
	require.Greater(t, found, 20)
}

// hasHeading reports whether a page has the heading of an anchor, as GitHub makes them.
func hasHeading(text, anchor string) bool {
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		made := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, match[1])
		if made == anchor {
			return true
		}
	}
	return false
}
