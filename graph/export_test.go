package graph

import (
	"bytes"
	"slices"

	"github.com/pullback-go/pullback/device"
)

// NoReuse makes the session's programs, those that are not compiled yet, give
// every value memory of its own.
func (s *Session) NoReuse() { s.noReuse = true }

// Poison makes every launch of the function's programs, as far as they are compiled, leave
// NaN in all of the arena that holds no value which something still reads.
func (f *Function) Poison() {
	for _, p := range f.programs {
		var inputs []*Node
		place := map[*Node]int{}
		for _, n := range p.graph.nodes {
			if n.kind == input {
				inputs = append(inputs, n)
				place[n] = -1
			}
		}
		order := p.graph.evaluationOrder()
		for i, n := range order {
			place[n] = i
		}
		l := layOut(p.graph, order, inputs, !f.session.noReuse)
		for i := range p.launches {
			at := place[p.launches[i].nodes[len(p.launches[i].nodes)-1]]
			live := []region{{l.arena.top, 0}}
			for n, made := range place {
				if (n.kind == operation || n.kind == input) && l.owner[n.id] == n && made <= at && l.lastUse[n.id] > at {
					live = append(live, region{l.regions[n.id].offset, n.typ.Bytes()})
				}
			}
			slices.SortFunc(live, func(a, b region) int { return int(a.offset - b.offset) })
			poisoning := &poisoningExecutor{Executor: p.launches[i].executor, arena: p.arena}
			end := int64(0)
			for _, r := range live {
				poisoning.dead = append(poisoning.dead, region{end, r.offset - end})
				end = r.offset + r.size
			}
			p.launches[i].executor = poisoning
		}
	}
}

// poisoningExecutor overwrites memory that is dead after its launch.
type poisoningExecutor struct {
	device.Executor
	arena device.Buffer
	dead  []region
}

func (e *poisoningExecutor) Launch(workspace device.Buffer, stream device.Stream) error {
	if err := e.Executor.Launch(workspace, stream); err != nil {
		return err
	}
	for _, r := range e.dead {
		if err := stream.Upload(e.arena, r.offset, bytes.Repeat([]byte{0xff}, int(r.size))); err != nil {
			return err
		}
	}
	return nil
}
