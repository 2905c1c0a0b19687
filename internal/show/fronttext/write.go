// Package fronttext lays out what a reader meets first, as package answer computed it, for a
// terminal and as Markdown: at most Lines lines, none wider than the terminal. It computes
// nothing, and is pure: the same front in the same style gives the same bytes.
package fronttext

import (
	"bufio"
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/answer"
	"memcost/internal/report/result"
	"memcost/internal/show/text"
)

// mostColumns is how wide the front is where there is room, and where nothing says how much.
const mostColumns = 100

// mostAnswer is how many lines the answer takes at most.
const mostAnswer = 12

// Terminal writes the front for a terminal, or for a pipe where the style has no width.
func (r *Report) Terminal(w io.Writer, s text.Style) error {
	width := mostColumns
	if s.Width > 0 {
		width = min(s.Width, mostColumns)
	}
	l := layout{sections: r.sections(width)}
	l.fit(Lines)
	buf := bufio.NewWriter(w)
	for _, x := range l.lines() {
		buf.WriteString(x.cut(width).text(s.Color) + "\n")
	}
	return buf.Flush()
}

// sections are the parts of the text, in their order.
func (r *Report) sections(width int) []*section {
	f := r.Front
	var out []*section
	add := func(s *section) {
		if s != nil && len(s.head)+len(s.rows)+len(s.tail) > 0 {
			out = append(out, s)
		}
	}
	add(headerSection(f, r.alone(), width))
	add(answerSection(f, width))
	add(axisSection(f.Axis, result.Labels(r.Answers), width, 14))
	add(crossingsSection(f.Axis, width))
	if s := r.alone(); s != nil {
		if f.Axis == nil {
			add(pictureSection(r.picture(s), width))
		}
		add(claimsSection(s, width))
	}
	add(studiesSection(r, width))
	if f.Machines == nil {
		add(runsSection(f, width))
	}
	add(machinesSection(f.Machines, width))
	add(differencesSection(f.Machines, width))
	add(releasesSection(f, width))
	r.caseSections(add, width)
	add(adviceSection(f, width))
	add(failingSection(f, width))
	add(problemsSection(r, width))
	add(trustSection(f, width))
	add(warningsSection(f, width))
	add(footSection(r, width))
	add(leftOutSection(f, width))
	return out
}

// caseSections add the cases of packages that nothing else shows, or what several answers say
// of the same cases.
func (r *Report) caseSections(add func(*section), width int) {
	for i := range r.Compared {
		add(comparisonSection(&r.Compared[i], width))
	}
	if len(r.Compared) > 0 {
		note := append(painted(pretty.FgYellow, "note: "), paint(0, text.NotSideBySide)).wrapped(width, gap)
		add(&section{rows: rowsOf(note), flow: true, rank: 5, good: 2, least: 1})
		return
	}
	for i := range r.Front.Studies {
		if a, s := r.suite(&r.Front.Studies[i]); s != nil {
			add(casesSection(a, s, len(r.Front.Studies) > 1, width))
		}
	}
}

// headerSection is the question, and the machine with its tools and the day.
func headerSection(f *answer.Front, alone *answer.Study, width int) *section {
	question := f.Question
	if alone != nil && alone.Name != "" && !strings.HasPrefix(question, alone.Name) {
		question = strings.TrimSuffix(alone.Name+": "+question, ": ")
	}
	about := f.Machine
	for _, t := range append(f.Tools[:len(f.Tools):len(f.Tools)], f.Created) {
		if t != "" {
			about = strings.TrimPrefix(about+" · "+t, " · ")
		}
	}
	one := append(painted(pretty.Bold, question), paint(0, "   "+about))
	if one.width() <= width {
		return &section{head: []line{one}}
	}
	lines := append(painted(pretty.Bold, question).wrapped(width, gap), said(about).wrapped(width, gap)...)
	return &section{rows: rowsOf(lines), rank: 0, good: min(len(lines), 6), least: min(len(lines), 3)}
}

// answerSection is the answer in sentences.
func answerSection(f *answer.Front, width int) *section {
	var l line
	if f.Disturbed != "" {
		l = append(l, paint(pretty.FgYellow, f.Disturbed), span{text: " "})
	}
	for i, s := range f.Answer {
		if i > 0 {
			l = append(l, span{text: " "})
		}
		l = append(l, spansOf(s)...)
	}
	lines := l.wrapped(width, 0)
	lines = few(lines, mostAnswer, width)
	return &section{rows: rowsOf(lines), rank: 0, gap: 6, flow: true, good: len(lines), least: min(len(lines), 4)}
}
