package fronttext

import (
	"fmt"
	"strconv"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
)

// A count is one state of claims with how many are in it.
type count struct {
	status, words string
	n             int
}

// countsOf returns how many claims are in each state: INVALID ones only if there are any.
func countsOf(t answer.Tally) []count {
	out := []count{{string(claim.Holds), "hold", t.Hold}, {string(claim.Fails), "fail", t.Fail},
		{string(claim.Undecided), "undecided", t.Undecided}, {string(claim.Untested), "not tested", t.NotTested}}
	if t.Invalid > 0 {
		out = append(out, count{invalid, invalid, t.Invalid})
	}
	return out
}

// tallyLine says a tally in a line: "✓ 6 hold  ✗ 2 fail  ? 3 undecided  · 1 not tested".
func tallyLine(t answer.Tally) line {
	var out line
	for i, c := range countsOf(t) {
		if i > 0 {
			out = append(out, span{text: "  "})
		}
		color := statusColor[c.status]
		if c.n == 0 {
			color = pretty.Faint
		}
		out = append(out, paint(color, fmt.Sprintf("%s %d %s", sign[c.status], c.n, c.words)))
	}
	return out
}

// tallyCells returns a cell for each state.
func tallyCells(t answer.Tally, withInvalid bool) []line {
	counts := countsOf(t)
	if withInvalid && t.Invalid == 0 {
		counts = append(counts, count{invalid, invalid, 0})
	}
	var out []line
	for _, c := range counts {
		color := statusColor[c.status]
		if c.n == 0 {
			color = pretty.Faint
		}
		out = append(out, painted(color, strconv.Itoa(c.n)))
	}
	return out
}

// answered says what a study answers in the table of all.
func answered(s *answer.Study, cases int) line {
	said := s.Short
	if len(said) == 0 {
		said = s.Answer
	}
	if len(said) == 0 {
		return painted(0, units.Plural(cases, "case"))
	}
	return spansOf(said)
}

// studiesSection is the table of studies: how their claims stand, and what they answer.
func studiesSection(r *Report, width int) *section {
	f := r.Front
	if len(f.Studies) < 2 {
		return nil
	}
	withInvalid := f.Tally.Invalid > 0
	g := grid{head: []string{"study", "✓", "✗", "?", "·"}, flex: 5, drop: []int{5, 4}, left: map[int]bool{},
		most: map[int]int{0: max(min(width/3, 28), 8)}}
	if withInvalid {
		g.head, g.flex, g.drop = append(g.head, "!"), 6, []int{6, 4}
	}
	g.left[len(g.head)] = true
	g.head = append(g.head, "answer")
	add := func(name line, t answer.Tally, say line) {
		g.rows = append(g.rows, append(append([]line{name}, tallyCells(t, withInvalid)...), say))
	}
	for i := range f.Studies {
		s := &f.Studies[i]
		add(said(shortened(s.Name, g.most[0])), s.Tally, answered(s, r.cases(s)))
	}
	add(painted(pretty.Bold, "together"), f.Tally, tallyLine(f.Tally))
	header, lines := g.lines(width, 0)
	last := len(lines) - 1
	s := &section{head: []line{header}, rows: rowsOf(lines[:last]), tail: lines[last:], rank: 2, gap: 1}
	s.good, s.least = last, min(last, 8)
	s.more = func(n int) line { return said(fmt.Sprintf("and %d more: --long", n)).cut(width) }
	return s
}
