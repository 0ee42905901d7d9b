package report

import (
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// textHandler draws plain text with a box for what its font cannot show, where
// the plain handler leaves a gap. The page and the descriptions have such text in full.
type textHandler struct{ text.Plain }

func (h textHandler) Box(s string, f font.Font) (width, height, depth vg.Length) {
	return h.Plain.Box(h.boxed(s, f), f)
}

func (h textHandler) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	h.Plain.Draw(c, h.boxed(s, style.Font), style, at)
}

func (h textHandler) boxed(s string, f font.Font) string {
	face := h.Fonts.Lookup(f, f.Size).Face
	return strings.Map(func(r rune) rune {
		if i, err := face.GlyphIndex(nil, r); err == nil && i == 0 && !unicode.IsSpace(r) {
			return '□'
		}
		return r
	}, s)
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
