package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
)

// name returns at most n runes of a name, or the stand-in, which it notes, if pictures cannot show them.
// The page and the descriptions have every name as it is.
func (f *figure) name(name string, n int, standIn string) string {
	if shown := clip(name, n); canDraw(shown) {
		return shown
	}
	f.standIns = append(f.standIns, Entry{standIn, clip(name, 60)})
	return standIn
}

// canDraw reports whether the font of the pictures has all characters. Hebrew it has, but
// text is only drawn from the left to the right.
func canDraw(s string) bool {
	f := sans(10, false)
	face := font.DefaultCache.Lookup(f, f.Size).Face
	for _, r := range s {
		i, err := face.GlyphIndex(nil, r)
		if err != nil || i == 0 && r != ' ' || unicode.Is(unicode.Hebrew, r) {
			return false
		}
	}
	return true
}

// explain says what the stand-ins of pictures stand for, "" if there are none.
func explain(standIns []Entry) string {
	var parts []string
	for _, e := range standIns {
		if part := fmt.Sprintf("“%s” is %s", e.Name, e.Value); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "The pictures cannot show the characters of some names and have others in their place: " + strings.Join(parts, ", ") + "."
}

// clip makes text fit for one line of a picture: at most n runes, without control
// characters.
func clip(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case !unicode.IsGraphic(r): // marks that turn the direction of text, and such
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}
