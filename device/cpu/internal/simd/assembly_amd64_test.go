package simd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The generator gives out registers 16 to 31 when it runs out of others, which makes an
// instruction one of AVX-512.
func TestAssemblyIsAVX2(t *testing.T) {
	files, err := filepath.Glob("*_amd64.s")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	files = slices.DeleteFunc(files, func(f string) bool { return strings.Contains(f, "avx512") })
	avx512 := regexp.MustCompile(`\b([XY](1[6-9]|2[0-9]|3[01])|Z[0-9]+|K[0-7])\b|AVX512`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		require.Empty(t, avx512.FindString(string(text)), f)
	}
}
