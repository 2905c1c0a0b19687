// Package alloctext renders what memcost alloc found: on a terminal in at most 45 lines of 100
// columns, and as Markdown.
package alloctext

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/report/compare"
	"memcost/internal/show/text"
)

const (
	// widest is the widest line, and mostRows how many allocators a table shows: more would leave
	// no room for what follows, and stand behind --long.
	widest   = 100
	mostRows = 11
	// longestName is the most columns that the name of an allocator takes.
	longestName = 24
	// mostLines is how many lines a terminal shows at once; of them the tables leave some below.
	mostLines = 45
	roomBelow = 10
)

// Write writes a report for a terminal.
func Write(w io.Writer, r *compare.AllocReport, s text.Style) error {
	if s.Width == 0 || s.Width > widest {
		s.Width = widest
	}
	p := &printer{w: w, Style: s}
	p.bold(r.Says)
	p.line("", subject(r))
	p.table(head(r), rows(r, p.most(), timeAndMemory))
	if more := rows(r, p.most(), events); p.Long || p.lines+len(more)+roomBelow < mostLines {
		p.table(eventsHead(), more)
	} else {
		p.f("  page faults and context switches: --long shows them\n")
	}
	p.more(len(r.Allocators) - p.most())
	p.f("\n")
	p.asides(r)
	return p.err
}

// head returns the heads of the first table.
func head(r *compare.AllocReport) []string {
	wall := "wall time"
	if r.Until != "" {
		wall = "time of the load"
	}
	return []string{"allocator", "CPU time", wall, "peak RSS", "verdict"}
}

// eventsHead returns the heads of the second table.
func eventsHead() []string {
	return []string{"allocator", "minor faults", "major faults", "vol. switches", "invol. switches"}
}

// subject says what the figures are of.
func subject(r *compare.AllocReport) string {
	say := fmt.Sprintf("%s: ratios to %s, which is its own allocator, with 95%% confidence intervals; the margin "+
		"is %s, and each of %s has a fresh process for each.", snip(r.Command, 60), r.Own, units.Share(r.Margin),
		units.Plural(r.Rounds, "round"))
	if r.Until != "" {
		say += " The server's CPU time and memory, while it serves: " + snip(r.Until, 60)
	}
	return say
}

// rows returns the rows of a table, one for each allocator.
func rows(r *compare.AllocReport, most int, of func(compare.Allocator, bool) []string) [][]string {
	var out [][]string
	for i, x := range r.Allocators {
		if i == most {
			break
		}
		out = append(out, append([]string{snip(text.Clean(x.Name), longestName)}, of(x, i == 0)...))
	}
	return out
}

func timeAndMemory(x compare.Allocator, baseline bool) []string {
	return []string{cell(x.CPU, baseline), cell(x.Wall, baseline), cell(x.Memory, baseline), x.Says}
}

func events(x compare.Allocator, baseline bool) []string {
	return []string{count(x.Minor, baseline), count(x.Major, baseline), count(x.Own, baseline),
		count(x.Forced, baseline)}
}

// cell returns a figure of the baseline, and a ratio with its interval of any other.
func cell(f compare.Figure, baseline bool) string {
	switch {
	case baseline && f.Value.Known():
		return f.Value.Quantity()
	case !baseline && f.Ratio.Known():
		return f.Ratio.Times()
	}
	return units.None
}

// count is cell for a count: where that of the baseline is 0 the count itself.
func count(f compare.Figure, baseline bool) string {
	ratio := float64(f.Ratio.Value)
	switch {
	case !f.Value.Known():
		return units.None
	case baseline || f.Ratio.Note != "" || !f.Ratio.Known() || f.Value.Value == 0 || math.IsInf(ratio, 0):
		return units.Digits(float64(f.Value.Value))
	}
	return f.Ratio.Times()
}

// snip cuts a text that is too long.
func snip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// asides writes what is to be known beside the figures, as far as there is room: the most
// important first.
func (p *printer) asides(r *compare.AllocReport) {
	var all []string
	for _, x := range r.Allocators {
		if x.Invalid != "" {
			all = append(all, "INVALID: "+x.Name+": "+x.Invalid)
		}
	}
	for _, s := range plan.NotMeasuredSays(r.NotMeasured) {
		all = append(all, "not measured: "+s)
	}
	for _, s := range r.Notes {
		all = append(all, "note: "+s)
	}
	for i, n := range r.NoiseFloor {
		if i == 0 || p.Long {
			all = append(all, "noise floor: two copies of the same configuration: "+n.Ratio.Times()+", "+
				units.Percent(float64(n.Spread))+" apart in the median round")
		}
	}
	for _, s := range r.Warnings {
		all = append(all, "warning: "+s)
	}
	if hasUndecided(r) {
		all = append(all, "what is undecided more rounds may decide: memcost alloc --resume "+r.Dir+" --budget 5m")
	}
	for i, s := range all {
		if !p.Long && p.lines+len(wrap(s, p.Width-2)) > mostLines-2 && i < len(all)-1 {
			p.line("", fmt.Sprintf("and %d more; --long shows them", len(all)-i))
			break
		}
		p.line("", s)
	}
	p.line("run folder:", r.Dir)
}

func hasUndecided(r *compare.AllocReport) bool {
	for _, x := range r.Allocators[1:] {
		if strings.Contains(x.Says, "undecided") {
			return true
		}
	}
	return false
}

// A printer writes lines no wider than its style says, and keeps the first error.
type printer struct {
	w io.Writer
	text.Style
	lines int // that were written
	err   error
}

func (p *printer) most() int {
	if p.Long {
		return 1 << 20
	}
	return mostRows
}

func (p *printer) f(format string, args ...any) {
	if p.err == nil {
		out := fmt.Sprintf(format, args...)
		p.lines += strings.Count(out, "\n")
		_, p.err = io.WriteString(p.w, out)
	}
}

func (p *printer) bold(s string) {
	for _, line := range wrap(text.Clean(s), p.Width) {
		if p.Color {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		p.f("%s\n", line)
	}
}

// line prints a label and a text, broken between words; the further lines are set in.
func (p *printer) line(label, s string) {
	if label != "" {
		s = label + " " + s
	}
	for i, line := range wrap(text.Clean(s), p.Width-2) {
		if i > 0 {
			line = "  " + line
		}
		p.f("%s\n", line)
	}
}

func (p *printer) more(n int) {
	if n > 0 {
		p.f("  … and %d more; --long shows them\n", n)
	}
}

// table prints rows in columns, after an empty line.
func (p *printer) table(head []string, rows [][]string) {
	p.f("\n")
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, rows...) {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		line = strings.TrimRight(line, " \n")
		parts := wrap(line, p.Width-2)
		p.f("  %s\n", parts[0])
		for _, further := range wrap(strings.Join(parts[1:], " "), p.Width-6) {
			if further != "" {
				p.f("      %s\n", further)
			}
		}
	}
}

// wrap breaks a text between words into lines of at most so many columns; the spaces of columns
// stay.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for i, word := range strings.Split(s, " ") {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, strings.TrimRight(line, " ")), word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
