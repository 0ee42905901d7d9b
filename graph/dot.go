package graph

import (
	"io"
	"strconv"

	"github.com/emicklei/dot"

	"github.com/pullback-go/pullback/device"
)

// WriteDOT writes the graph in Graphviz's DOT language: the nodes that the
// outputs and updates are computed from, with their operations, types and the line
// that made them; data flows along the arrows.
func (g *Graph) WriteDOT(w io.Writer) error {
	if g.err != nil {
		return g.err
	}
	picture := dot.NewGraph(dot.Directed)
	picture.NodeInitializer(func(n dot.Node) { n.Attr("shape", "box").Attr("fontname", "Helvetica") })
	colours := map[kind]string{
		input: "lightblue", parameter: "gold", state: "khaki", constant: "lightgrey", perStep: "lightgrey", update: "salmon",
	}
	live := g.live()
	drawn := make([]dot.Node, len(g.nodes))
	for _, n := range g.nodes {
		if !live[n.id] && n.kind != input {
			continue
		}
		label := n.Name()
		if n.op != nil {
			label = device.OpString(n.op)
		}
		drawn[n.id] = picture.Node(strconv.Itoa(n.id)).Label(label+"\n"+n.typ.String()).Attr("tooltip", n.Position())
		if colour := colours[n.kind]; colour != "" {
			drawn[n.id].Attr("style", "filled").Attr("fillcolor", colour)
		}
		for i, in := range n.inputs {
			edge := picture.Edge(drawn[in.id], drawn[n.id])
			if len(n.inputs) > 1 {
				edge.Attr("label", strconv.Itoa(i))
			}
		}
	}
	for i, n := range g.outputs {
		out := picture.Node("output "+strconv.Itoa(i)).Attr("shape", "plaintext")
		picture.Edge(drawn[n.id], out)
	}
	_, err := io.WriteString(w, picture.String())
	return err
}
