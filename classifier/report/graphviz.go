package report

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"
)

// graphvizTimeout bounds the time for drawing a graph, since the time that dot takes for
// thousands of nodes has no useful bound.
var graphvizTimeout = 10 * time.Second

// drawGraph returns the graph as SVG, or nil where Graphviz is absent, fails or is too
// slow: a picture that is nice to have must not cost the report.
func drawGraph(ctx context.Context, dot string) []byte {
	program, err := exec.LookPath("dot")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, graphvizTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, program, "-Tsvg")
	command.WaitDelay = time.Second // children that hold the pipe open
	command.Stdin = strings.NewReader(dot)
	svg, err := command.Output()
	if err != nil || !bytes.Contains(svg, []byte("<svg")) {
		return nil
	}
	return svg
}
