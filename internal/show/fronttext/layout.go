package fronttext

import (
	"fmt"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// mostGaps is the highest number of an empty line.
const mostGaps = 6

// A section is a part of the text whose rows may be left out where there are too many lines.
type section struct {
	head  []line // above the rows
	rows  []row
	tail  []line             // below them
	good  int                // rows that stay until others are down to theirs
	least int                // rows that stay until nothing else can be left out
	rank  int                // sections of a higher rank give way first
	gap   int                // the empty line before it: of higher ones it goes first; 0: there is none
	flow  bool               // its rows are one text, which ends with "…" where some are left out
	more  func(n int) line   // below the rows, where n are left out
	aside func(n int) string // the same behind the last line of the head

	shown int
}

// A row is a line, or all that there is to say where there is room for it; whole is a row that
// says nothing true if it is cut.
type row struct {
	line  line
	full  []line // nil: the line says all
	whole []line // nil: the line
}

// lines returns the row, in full or not.
func (r row) lines(full bool) []line {
	switch {
	case r.whole != nil:
		return r.whole
	case full && r.full != nil:
		return r.full
	}
	return []line{r.line}
}

// more says how many rows are left out, and what shows them.
func more(n int) string { return fmt.Sprintf(" (%d more: --long)", n) }

// rowsOf makes rows of lines.
func rowsOf(lines []line) []row {
	out := make([]row, len(lines))
	for i, l := range lines {
		out[i].line = l
	}
	return out
}

// height returns how many lines the section takes, with its rows in full or not.
func (s *section) height(full bool) int {
	if s.gone() {
		return 0
	}
	n := len(s.head) + len(s.tail)
	for _, r := range s.rows[:s.shown] {
		n += len(r.lines(full))
	}
	if s.more != nil && s.shown < len(s.rows) {
		n++
	}
	return n
}

// lines returns the section as far as it is shown.
func (s *section) lines(full bool) []line {
	out := append([]line(nil), s.head...)
	left := len(s.rows) - s.shown
	if left > 0 && s.aside != nil && len(out) > 0 {
		last := &out[len(out)-1]
		*last = append((*last)[:len(*last):len(*last)], paint(pretty.Faint, s.aside(left)))
	}
	for _, r := range s.rows[:s.shown] {
		out = append(out, r.lines(full)...)
	}
	switch {
	case left > 0 && s.flow && s.shown > 0:
		last := &out[len(out)-1]
		*last = append((*last)[:len(*last):len(*last)], span{text: " …"})
	case left > 0 && s.more != nil:
		out = append(out, s.more(left))
	}
	return append(out, s.tail...)
}

// gone reports whether all rows of a section that has some are left out.
func (s *section) gone() bool {
	return s.shown == 0 && (len(s.rows) > 0 || len(s.head)+len(s.tail) == 0)
}

// A layout is the text while it is fitted into its lines.
type layout struct {
	sections []*section
	full     bool // rows are shown in full
	gaps     int  // empty lines of a higher number are left out
}

func (l *layout) height() int {
	n := 0
	for _, s := range l.sections {
		h := s.height(l.full)
		if n > 0 && h > 0 && l.spaced(s) {
			h++
		}
		n += h
	}
	return n
}

// spaced reports whether an empty line stands before a section.
func (l *layout) spaced(s *section) bool { return s.gap > 0 && s.gap <= l.gaps }

// fit leaves out what does not fit into so many lines: the full form of rows, then rows that are
// more than good, of the longest section of the highest rank first, then empty lines, and then
// rows that matter.
func (l *layout) fit(most int) {
	l.full, l.gaps = true, mostGaps
	for _, s := range l.sections {
		s.shown = min(len(s.rows), most)
	}
	if l.height() <= most {
		return
	}
	l.full = false
	l.reduce(most, func(s *section) int { return s.good })
	for l.height() > most && l.gaps > 0 {
		l.gaps--
	}
	l.reduce(most, func(s *section) int { return s.least })
	l.reduce(most, func(s *section) int { return 0 })
}

// reduce leaves rows out until the text fits, but none of those that floor protects.
func (l *layout) reduce(most int, floor func(*section) int) {
	for l.height() > most {
		var next *section
		for _, s := range l.sections {
			if s.shown <= floor(s) {
				continue
			}
			if next == nil || s.rank > next.rank || s.rank == next.rank && s.shown > next.shown {
				next = s
			}
		}
		if next == nil {
			return
		}
		next.shown--
		if next.shown == len(next.rows)-1 && next.more != nil && next.shown > floor(next) {
			next.shown-- // the line that says so takes the place of one
		}
	}
}

// lines returns the text.
func (l *layout) lines() []line {
	var out []line
	for _, s := range l.sections {
		if s.height(l.full) == 0 {
			continue
		}
		if len(out) > 0 && l.spaced(s) {
			out = append(out, nil)
		}
		out = append(out, s.lines(l.full)...)
	}
	return out
}
