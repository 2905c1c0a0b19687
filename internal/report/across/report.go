// Package across says what several machines have to say together: every claim by machine, the claims
// about machines, and by how much kinds of machines, boards of one kind and the samples of one board differ. It
// is computed from answers of package result, and pure.
package across

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// A Report is of at least two machines.
type Report struct {
	// Machines are the columns: the boards of one kind next to each other, kinds and boards in the order of the
	// answers. A machine with several answers has as many.
	Machines []Machine `json:"machines"`
	Kinds    int       `json:"kinds"`
	Boards   int       `json:"boards"`
	Says     string    `json:"says"` // "5 machines of 3 kinds"
	Studies  []Study   `json:"studies"`
}

// A Machine is one data set of one machine.
type Machine struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`  // the model of its processor, else of its board
	Board string `json:"board"` // which of that kind
	Run   int    `json:"run"`   // index of the answer
	Busy  bool   `json:"busy,omitempty"`
	// CopyRate is what a plain copy of 16 KiB moved a second, in bytes: a measure of the machine's strength that
	// every run takes.
	CopyRate figures.Number `json:"copy_bytes_per_sec"`
}

// A Study is one that at least two machines have.
type Study struct {
	Name    string   `json:"name"`
	Claims  []Claim  `json:"claims"`
	Cost    *Line    `json:"cost,omitempty"` // of one case, by the machines' strength
	Spreads []Spread `json:"spreads"`        // of the cases that all of its machines have
}

// A Claim is a row of the matrix, with a cell for each machine.
type Claim struct {
	ID     string       `json:"id"`
	Prose  string       `json:"prose"`
	Cells  []Cell       `json:"cells"`
	Says   string       `json:"says"`             // "holds on 4 of 5 machines", or what the line says
	Status claim.Status `json:"status,omitempty"` // of a claim about machines
	Line   *Line        `json:"line,omitempty"`   // likewise
}

// A Cell is the verdict of one machine.
type Cell struct {
	Status claim.Status `json:"status"` // holds, fails, undecided, not tested, INVALID; "": the machine lacks the study
	Says   string       `json:"says"`
}

// A Line is a figure of each machine by its strength, and the line through the kinds of machines.
type Line struct {
	Title    string         `json:"title"`
	Strength string         `json:"strength"` // what it is
	Figure   string         `json:"figure"`   // what is drawn over it
	Points   []Point        `json:"points"`
	Kinds    int            `json:"kinds"`
	Boards   int            `json:"boards"`
	Exponent figures.Figure `json:"exponent"` // of the figure in the strength, with its interval
	P        figures.Number `json:"p"`        // of a line as steep in the same direction, by permutation of the kinds
	Says     string         `json:"says"`
	Fitted   []Fitted       `json:"fitted"` // none: fewer than four kinds
}

// A Point is a machine, or what someone published of one.
type Point struct {
	Name      string         `json:"name"`
	Kind      string         `json:"kind"`
	Published bool           `json:"published,omitempty"`
	Strength  figures.Number `json:"strength"` // bytes a second
	Figure    figures.Figure `json:"figure"`
}

// Fitted is the line at a strength, with its band.
type Fitted struct {
	Strength figures.Number `json:"strength"`
	Value    figures.Number `json:"value"`
	Lo       figures.Number `json:"lo"`
	Hi       figures.Number `json:"hi"`
}

// A Spread says by how much the times of a case differ: standard deviations of their logarithms, as shares. Null is
// what cannot be known: with one kind, or one board of each.
type Spread struct {
	Case    string         `json:"case"`
	Kinds   figures.Number `json:"between_kinds"`
	Boards  figures.Number `json:"between_boards"` // of one kind
	Samples figures.Number `json:"within_board"`   // of one board's samples, in the middle of the boards
}

// A builder fills a report.
type builder struct {
	*Report
	answers []*result.Answer
}

// inSeveral returns the studies that at least two machines have, in the order of the answers.
func (b builder) inSeveral() []string {
	boards := map[string][]string{}
	var out []string
	for _, a := range b.answers {
		for _, s := range a.Studies {
			if !s.Unnamed && boards[s.Name] == nil {
				out, boards[s.Name] = append(out, s.Name), []string{}
			}
		}
	}
	for _, m := range b.Machines {
		for _, s := range b.answers[m.Run].Studies {
			if of := boards[s.Name]; of != nil && !slices.Contains(of, m.Board) {
				boards[s.Name] = append(of, m.Board)
			}
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { return len(boards[name]) < 2 })
}

// on returns a machine's part of a study, nil if it has none.
func (b builder) on(m Machine, name string) *result.Study {
	for i := range b.answers[m.Run].Studies {
		if s := &b.answers[m.Run].Studies[i]; s.Name == name {
			return s
		}
	}
	return nil
}

// first returns the first machine's part of a study.
func (b builder) first(study string) *result.Study {
	for _, m := range b.Machines {
		if s := b.on(m, study); s != nil {
			return s
		}
	}
	return nil
}

func (b builder) study(name string) Study {
	out := Study{Name: name, Claims: []Claim{}}
	for _, m := range b.Machines {
		s := b.on(m, name)
		if s == nil {
			continue
		}
		for _, c := range s.Claims {
			if !slices.ContainsFunc(out.Claims, func(have Claim) bool { return have.ID == c.ID }) {
				out.Claims = append(out.Claims, b.claim(name, c.ID, c.Says()))
			}
		}
	}
	cases := b.cases(name)
	out.Spreads = b.spreads(cases)
	out.Cost = b.cost(name, cases)
	return out
}

// claim returns a claim by machine, and of one about machines what all of them say together.
func (b builder) claim(study, id, prose string) Claim {
	c := Claim{ID: id, Prose: prose, Cells: make([]Cell, len(b.Machines))}
	for i, m := range b.Machines {
		if s := b.on(m, study); s != nil {
			c.Cells[i] = cellOf(s, id)
		}
	}
	if of, st := b.about(study, id); of != nil {
		b.line(&c, *of, study, st)
		return c
	}
	c.Says = b.count(c.Cells)
	return c
}

// cellOf returns the verdict of a machine's first configuration.
func cellOf(s *result.Study, id string) Cell {
	for _, c := range s.Claims {
		if c.ID != id {
			continue
		}
		for _, v := range c.Verdicts {
			switch {
			case v.Published:
			case v.Status == claim.Untested && v.Why == result.Invalid:
				return Cell{claim.Invalid, v.Short()}
			default:
				return Cell{v.Status, v.Short()}
			}
		}
	}
	return Cell{claim.Untested, string(claim.Untested)}
}

// count says on how many machines a claim holds and fails; of a machine with several answers that differ, neither.
func (b builder) count(cells []Cell) string {
	of := map[string][]claim.Status{}
	for i, c := range cells {
		if c.Status != "" && c.Status != claim.Untested && c.Status != claim.Invalid {
			of[b.Machines[i].Board] = append(of[b.Machines[i].Board], c.Status)
		}
	}
	n := map[claim.Status]int{}
	for _, all := range of {
		if len(slices.Compact(all)) == 1 {
			n[all[0]]++
		}
	}
	switch {
	case len(of) == 0:
		return "tested on no machine"
	case n[claim.AtBound] > 0 && n[claim.Holds]+n[claim.Fails] == 0:
		return fmt.Sprintf("at the bound on %d of %d machines", n[claim.AtBound], len(of))
	case n[claim.Holds] == 0 && n[claim.Fails] == 0:
		return fmt.Sprintf("undecided on %d of %d machines", len(of), len(of))
	case n[claim.Fails] == 0:
		return fmt.Sprintf("holds on %d of %d machines", n[claim.Holds], len(of))
	case n[claim.Holds] == 0:
		return fmt.Sprintf("fails on %d of %d machines", n[claim.Fails], len(of))
	}
	return fmt.Sprintf("holds on %d of %d machines, fails on %d", n[claim.Holds], len(of), n[claim.Fails])
}

// about returns a claim about machines, and the study's part that has it; nil of any other claim.
func (b builder) about(study, id string) (*language.Claim, *result.Study) {
	for _, m := range b.Machines {
		s := b.on(m, study)
		if s == nil || s.Study == nil {
			continue
		}
		for i := range s.Study.Claims {
			if c := &s.Study.Claims[i]; c.ID == id && c.Kind == language.Across {
				return c, s
			}
		}
	}
	return nil, nil
}

// Of computes what answers say together, by the names that they have beside each other; nil where they are not of
// two machines that share a study. Comparisons of sides are no answers of a machine.
func Of(answers []*result.Answer, names []string) *Report {
	r := &Report{Studies: []Study{}}
	for i, a := range answers {
		if a.Kind == result.Records || a.Question != nil && a.Question.Comparison != nil || a.MachineName() == "" {
			continue
		}
		r.Machines = append(r.Machines, Machine{Name: names[i], Kind: kindOf(a), Board: boardOf(a), Run: i,
			Busy: a.Busy != "", CopyRate: figures.Number(copyRate(a))})
	}
	r.order()
	if r.Boards < 2 {
		return nil
	}
	r.Says = fmt.Sprintf("%d machines of %s", r.Boards, units.Plural(r.Kinds, "kind"))
	b := builder{r, answers}
	for _, name := range b.inSeveral() {
		r.Studies = append(r.Studies, b.study(name))
	}
	if len(r.Studies) == 0 {
		return nil
	}
	return r
}

// kindOf returns the kind of a machine as claims have it: the model of the processor. Machines of which it is not
// known are of one kind each system, so that none is taken for a kind that it is not.
func kindOf(a *result.Answer) string {
	return cmp.Or(a.Machine.CPUModel, a.Machine.Board, a.Machine.OS+"/"+a.Machine.Arch)
}

// boardOf returns which machine an answer is of.
func boardOf(a *result.Answer) string {
	if q := a.Question; q != nil && q.Attempt != nil {
		return q.Attempt.Machine
	} else if q != nil && q.Joined != "" {
		return path.Base(q.Joined)
	}
	return a.Machine.ID()
}

// copyRate returns how fast memcost's own plain copy was, by the median of the first configuration; NaN where it was
// not measured.
func copyRate(a *result.Answer) float64 {
	if a.Set == nil || len(a.Sides) == 0 {
		return math.NaN()
	}
	s := a.Set.Get(series.ID{Study: series.FloorStudy, Case: series.FloorCopy, Side: a.Sides[0].Name,
		Role: series.RoleFloor})
	if s == nil {
		return math.NaN()
	}
	return series.FloorCopySize / stat.Median(a.Set.Valid(s, "sec/op"))
}

// order puts the boards of a kind and the answers of a board next to each other, and counts them.
func (r *Report) order() {
	var kinds, boards []string
	for _, m := range r.Machines {
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
		if !slices.Contains(boards, m.Board) {
			boards = append(boards, m.Board)
		}
	}
	slices.SortStableFunc(r.Machines, func(a, b Machine) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(slices.Index(boards, a.Board), slices.Index(boards, b.Board)))
	})
	r.Kinds, r.Boards = len(kinds), len(boards)
}
