package report

import "time"

// SetGraphvizTimeout changes the time that Graphviz has, and returns a function that
// changes it back.
func SetGraphvizTimeout(d time.Duration) (restore func()) {
	old := graphvizTimeout
	graphvizTimeout = d
	return func() { graphvizTimeout = old }
}

// SetDPI changes the resolution of pictures, and returns a function that changes it back.
// Few pixels are for tests of anything but pixels.
func SetDPI(d int) (restore func()) {
	old := dpi
	dpi = d
	return func() { dpi = old }
}
