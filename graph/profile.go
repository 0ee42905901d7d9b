package graph

import (
	"strings"
	"time"
)

// Profile is the time that one operation of a function took, or several that the
// device runs as one.
type Profile struct {
	Op       string // the operation's name, or several joined by "+"
	Type     string // the type of its result, of the last one's
	Position string // file and line of the call that built it
	Launches int64
	Total    time.Duration
}

// SetProfiling turns the measuring of each operation on or off. While it is on,
// every launch is followed by a wait for the device, so that runs take longer.
func (f *Function) SetProfiling(on bool) {
	f.session.mu.Lock()
	defer f.session.mu.Unlock()
	f.profile = on
}

// Profile returns what was measured while profiling was on: a row for each
// operation of each compiled program, in the order in which they run.
func (f *Function) Profile() []Profile {
	f.session.mu.Lock()
	defer f.session.mu.Unlock()
	var rows []Profile
	for _, p := range f.programs {
		for _, l := range p.launches {
			if l.count > 0 {
				var names []string
				for _, n := range l.nodes {
					names = append(names, n.Name())
				}
				rows = append(rows, Profile{
					Op: strings.Join(names, "+"), Type: l.nodes[len(names)-1].typ.String(), Position: l.nodes[0].Position(),
					Launches: l.count, Total: l.total,
				})
			}
		}
	}
	return rows
}
