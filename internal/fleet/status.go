package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/fleet/place"
)

// A Status is how far a plan in a place is.
type Status struct {
	Place       string    `json:"place"`
	Plan        string    `json:"plan"` // hash
	Tool        string    `json:"tool"`
	Studies     []string  `json:"studies"`
	Cases       int       `json:"cases"`
	Comparisons int       `json:"comparisons"`
	Machines    []Machine `json:"machines"`
	// Incomplete says which machines do not have all shards whole; "" where each has.
	Incomplete string `json:"incomplete,omitempty"`
	// Submissions are what memcost submit gave to schedulers.
	Submissions []Submission `json:"submissions,omitempty"`
	// Left is how long the attempts that run now take at most, in nanoseconds.
	Left     time.Duration `json:"left_ns"`
	Warnings []string      `json:"warnings,omitempty"`
}

// A Machine is what one machine did for a plan, with its shards cut in one way.
type Machine struct {
	ID     string `json:"machine"`
	Host   string `json:"host"`
	CPU    string `json:"cpu"`
	Shards int    `json:"shards"`
	// The shards that are done, that are being measured, that were begun and gave no whole attempt
	// (lost), and that nobody began on this machine. One that was interrupted, too, has samples.
	Done        []int         `json:"done"`
	Running     []int         `json:"running"`
	Interrupted []int         `json:"interrupted"`
	Lost        []int         `json:"lost"`
	NotBegun    []int         `json:"not_begun"`
	Samples     int           `json:"samples"`
	Left        time.Duration `json:"left_ns"`
}

// Incomplete says which machines do not have all shards of a plan whole; "" where each has.
func Incomplete(machines []Machine) string {
	const most = 3
	if len(machines) == 0 {
		return "Not complete: no machine began a shard yet."
	}
	var lack []string
	for _, m := range machines {
		if len(m.Done) < m.Shards {
			lack = append(lack, fmt.Sprintf("%s has %d of %s", cmp.Or(m.Host, m.ID), len(m.Done), units.Plural(m.Shards, "shard")))
		}
	}
	if n := len(lack) - most; n > 0 {
		lack = append(lack[:most], units.Plural(n, "other")+" lack some, too")
	}
	if len(lack) == 0 {
		return ""
	}
	return "Not complete: " + strings.Join(lack, ", ") + "."
}

// Covered returns which shards machines have whole, of attempts that a place has.
func Covered(attempts []Attempt) (out []Machine) {
	for _, of := range units.Grouped(attempts, func(a Attempt) slot { return slot{machine: a.Machine, shards: a.Shards} }) {
		m := Machine{ID: of[0].Machine, Host: of[0].of.done.Host, Shards: of[0].Shards}
		for _, a := range of {
			if a.Whole && !slices.Contains(m.Done, a.Shard) {
				m.Done = append(m.Done, a.Shard)
			}
		}
		out = append(out, m)
	}
	return out
}

// State of a shard, the best of its attempts.
type state int

const (
	notBegun state = iota
	lost
	interrupted
	running
	finished
)

// skew is how far a clock may be off before it is said.
const skew = time.Minute

// StatusOf returns how far a plan in a place is, at a time by this machine's clock.
func StatusOf(ctx context.Context, at *place.Place, hash string, now time.Time) (*Status, error) {
	l, err := list(ctx, at, hash)
	if err != nil {
		return nil, err
	}
	p := &l.plan.Kinds[0].Question.Plan
	s := &Status{Place: at.Name, Plan: hash, Tool: l.plan.Tool, Cases: len(p.Cases), Comparisons: len(p.Groups()),
		Studies: []string{}, Machines: []Machine{}}
	for _, x := range p.Studies {
		s.Studies = append(s.Studies, x.Name)
	}
	if l.copied() {
		for _, a := range l.attempts {
			if a.begun != nil {
				a.written = a.begun.Began
			}
		}
	}
	if err := l.verify(ctx, at); err != nil {
		return nil, err
	}
	for _, of := range l.byMachine() {
		m := machineOf(of, now)
		s.Left = max(s.Left, m.Left)
		s.Machines = append(s.Machines, m)
	}
	s.Incomplete = Incomplete(s.Machines)
	s.Submissions = l.submissions(now)
	s.Warnings = append(l.warnings, l.clocks(now)...)
	return s, nil
}

// byMachine returns the attempts of each machine, for each number of shards.
func (l *listing) byMachine() [][]*listed {
	return units.Grouped(l.attempts, func(a *listed) slot { return slot{machine: a.machine, shards: a.shards} })
}

func machineOf(attempts []*listed, now time.Time) Machine {
	m := Machine{ID: attempts[0].machine, Shards: attempts[0].shards, Done: []int{}, Running: []int{},
		Interrupted: []int{}, Lost: []int{}, NotBegun: []int{}}
	states := make([]state, m.Shards+1)
	for _, a := range attempts {
		what, left := a.state(now)
		if what == running && slices.ContainsFunc(attempts, a.followedBy) {
			what, left = lost, 0
		}
		states[a.shard] = max(states[a.shard], what)
		m.Left = max(m.Left, left)
		if a.begun != nil {
			m.Host, m.CPU = a.begun.Host, a.begun.CPU
		}
		if a.done != nil {
			m.Host, m.CPU = a.done.Host, a.done.CPU
		}
		if a.done != nil && !a.broken {
			m.Samples += a.done.Samples
		}
	}
	lists := []*[]int{&m.NotBegun, &m.Lost, &m.Interrupted, &m.Running, &m.Done}
	for shard := 1; shard <= m.Shards; shard++ {
		to := lists[states[shard]]
		*to = append(*to, shard)
	}
	return m
}

// followedBy reports whether an attempt at the same shard, on the same machine, came after this one: that machine
// measures one at a time, so that this one ended without a word.
func (a *listed) followedBy(b *listed) bool {
	return a.shard == b.shard && b != a && (b.done != nil && b.number > a.number || b.begun != nil && b.written.After(a.written))
}

// mostRead is how many bytes of samples are read to find out whether they are what was sent; of more, and of a bucket,
// where nobody writes by hand, the sizes of files tell.
const mostRead = 256 << 20

// verify takes back the end of attempts that are not what their done.json says, and warns of each.
func (l *listing) verify(ctx context.Context, at *place.Place) error {
	size := int64(0)
	for _, a := range l.attempts {
		if a.done != nil {
			for _, f := range a.done.Files {
				size += f.Size
			}
		}
	}
	for _, a := range l.attempts {
		if a.done == nil {
			continue
		}
		err := a.missing()
		if err == nil && size <= mostRead && !place.IsURL(at.Name) {
			err = a.holds(ctx, at)
		}
		var left *leftOutError
		if errors.As(err, &left) {
			l.warn("%v", left)
			a.broken = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// holds returns how an attempt is not what was sent, as its files show.
func (a *listed) holds(ctx context.Context, at *place.Place) error {
	if len(a.done.Files) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "memcost-status-")
	if err != nil {
		return fmt.Errorf("making a folder for what is compared: %w", err)
	}
	defer os.RemoveAll(dir)
	src, err := fetch(ctx, at, a, dir)
	if err != nil {
		return err
	}
	samples := 0
	if _, err := src.Samples(func(*benchfmt.Result) error { samples++; return nil }); err != nil {
		return err
	}
	if samples != a.done.Samples {
		return leftOut(a, "it has %s, and its %s says %d", units.Plural(samples, "sample"), doneFile, a.done.Samples)
	}
	return nil
}

// state returns what became of an attempt, and how long it takes at most if it runs.
func (a *listed) state(now time.Time) (state, time.Duration) {
	switch {
	case a.broken:
		return lost, 0
	case a.done != nil && a.done.Whole:
		return finished, 0
	case a.done != nil:
		return interrupted, 0
	case a.begun == nil:
		return lost, 0 // half-written, without its beginning
	}
	since := max(now.Sub(a.written), 0) // the place's clock may be ahead of this one
	if since > lateBy*a.begun.Expected {
		return lost, 0
	}
	return running, max(a.begun.Expected-since, 0)
}

// least is how long an attempt has to take by its machine's clock for the times of its files to tell whose they are.
const least = 5 * time.Second

// witnessed reports whether the times of an attempt's files are those at which its machine wrote them: as far from each
// other as by the machine's clock. Those of a place that was copied (cp -r) are the times of copying.
func (a *listed) witnessed() (is, known bool) {
	if a.begun == nil || a.done == nil || a.done.Sent.IsZero() {
		return false, false
	}
	took := a.done.Sent.Sub(a.begun.Began)
	return (a.finished.Sub(a.written) - took).Abs() < max(took/2, least), took >= least
}

// copied reports whether the times of the place's files say nothing of when they were written.
func (l *listing) copied() bool {
	return slices.ContainsFunc(l.attempts, func(a *listed) bool {
		is, known := a.witnessed()
		return known && !is
	})
}

// clocks says which clocks differ: those of the machines from that of the place, and that from this machine's. Times
// are then those of the place. A clock that is behind looks as one of a place that was copied later, and is said only
// where the attempt's end says the same, or where it is behind the making of the plan.
func (l *listing) clocks(now time.Time) []string {
	var out []string
	said := map[string]bool{}
	attempts := slices.Clone(l.attempts)
	slices.SortStableFunc(attempts, func(a, b *listed) int { return cmp.Compare(a.machine, b.machine) })
	for _, a := range attempts {
		if a.begun == nil || said[a.machine] {
			continue
		}
		is, known := a.witnessed()
		sure := is && known || a.begun.Began.Before(l.plan.Created.Add(-skew))
		if off := a.begun.Began.Sub(a.written); off > skew || off < -skew && sure {
			said[a.machine] = true
			out = append(out, fmt.Sprintf("the clock of %s (%s) is %s that of the place: times here are the place's",
				a.begun.Host, a.machine, offBy(off)))
		}
		if off := now.Sub(a.written); off < -skew && !said[""] {
			said[""] = true
			out = append(out, fmt.Sprintf("the clock of this machine is %s that of the place", offBy(off)))
		}
	}
	return out
}

func offBy(d time.Duration) string {
	if d < 0 {
		return fmt.Sprintf("%v behind", -d.Round(time.Second))
	}
	return fmt.Sprintf("%v ahead of", d.Round(time.Second))
}
