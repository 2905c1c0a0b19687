package fronttext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/report/answer"
	"memcost/internal/report/result"
)

// footColumn is where what stands beside a label of the last lines begins.
const footColumn = 8

// footLine sets a text beside a label.
func footLine(label string, width int, rest line) []line {
	return labelled(painted(pretty.Bold, label), footColumn, width, rest)
}

// trustItems say how far the run can be relied on: what speaks against it first.
func trustItems(t *answer.Trust) line {
	var out line
	add := func(c pretty.Color, s string) {
		if s = strings.TrimSuffix(s, "."); s != "" {
			out = append(out, paint(c, s))
		}
	}
	add(pretty.FgYellow, t.Amber)
	switch {
	case t.InvalidSays != "":
		add(pretty.FgRed, "1 case INVALID or failed ("+t.InvalidSays+")")
	case t.Invalid > 0:
		add(pretty.FgRed, units.Plural(t.Invalid, "case")+" INVALID or failed")
	}
	switch {
	case t.Processes == 1:
		add(0, "1 process")
	case t.Processes > 1:
		add(0, measured(t))
	}
	add(0, t.Noise)
	if n := len(t.Warnings); n > 0 {
		add(pretty.FgYellow, units.Plural(n, "warning"))
	}
	switch {
	case t.Excluded != "":
		add(0, t.Excluded)
	case t.Processes > 0 && t.Amber == "":
		add(0, "no round excluded")
	}
	add(0, t.Certificate)
	return out
}

// joined puts items behind each other: sentences after a full stop.
func joined(items line) line {
	var out line
	for _, s := range items {
		joint := "; "
		if r, _ := utf8.DecodeRuneInString(s.text); unicode.IsUpper(r) && !strings.HasPrefix(s.text, invalid) {
			joint = ". "
		}
		if len(out) > 0 {
			out = append(out, span{text: joint})
		}
		out = append(out, s)
	}
	return out
}

// trustSection is the trust line in at most four lines.
func trustSection(f *answer.Front, width int) *section {
	l := joined(trustItems(&f.Trust))
	if len(l) == 0 {
		return nil
	}
	lines := footLine("trust", width, l)
	return &section{rows: rowsOf(lines), rank: 0, gap: 5, flow: true, good: min(len(lines), 3), least: 1}
}

// warningsSection prints what the run warns of.
func warningsSection(f *answer.Front, width int) *section {
	var lines []line
	for _, w := range f.Trust.Warnings {
		lines = append(lines, append(painted(pretty.FgYellow, "warning: "), paint(0, w)).wrapped(width, gap)...)
	}
	s := &section{rows: rowsOf(lines), rank: 5}
	if len(f.Studies) < 2 { // of many, the trust line counts them
		s.good = min(len(lines), 3)
	}
	s.more = func(n int) line {
		return painted(pretty.FgYellow, fmt.Sprintf("… %d more lines of warnings: --long", n)).cut(width)
	}
	return s
}

// problemsSection lists what does not count and why, in each answer.
func problemsSection(r *Report, width int) *section {
	var rows []row
	names := result.Labels(r.Answers)
	gravest := 0
	for _, grave := range []bool{true, false} {
		for i, a := range r.Answers {
			for j := range a.Suites {
				for _, x := range a.Suites[j].Causes(false) {
					if color := problemColor(x.Kind); (color == pretty.FgRed) == grave {
						l := append(painted(color, x.Kind+" "), paint(0, x.String()))
						if len(r.Answers) > 1 {
							l = append(said(names[i]+": "), l...)
						}
						rows = append(rows, row{line: l.cut(width), full: l.broken(width, gap)})
						if grave {
							gravest++
						}
					}
				}
			}
		}
	}
	if len(rows) == 0 || len(r.Front.Studies) > 1 && r.Front.Trust.InvalidSays != "" { // the trust line has it
		return nil
	}
	s := &section{rows: rows, rank: 6, gap: 5, good: min(gravest, 3)}
	s.more = func(n int) line {
		return said(fmt.Sprintf("and %d more that are INVALID, failed or flagged: --long", n)).cut(width)
	}
	return s
}

func problemColor(kind string) pretty.Color {
	if kind == result.Flagged || kind == result.Skipped {
		return pretty.FgYellow
	}
	return pretty.FgRed
}

// command returns a command and what it says; the command is broken so that a shell still
// takes it where the line is too short.
func command(label string, width int, cmd, does string) []line {
	at := footColumn
	if width < 3*footColumn {
		at = gap
	}
	whole := append(painted(pretty.Bold, label).filled(footColumn), paint(0, cmd))
	if whole.width() <= width {
		tail := append(whole[:len(whole):len(whole)], paint(pretty.Faint, "   "+does))
		if does == "" || tail.width() <= width {
			return []line{tail}
		}
		return append([]line{whole}, indentedAll(painted(pretty.Faint, does).wrapped(width-at, 0), at)...)
	}
	out := []line{painted(pretty.Bold, label).cut(width)}
	words := strings.Fields(cmd)
	for now := ""; len(words) > 0; {
		next := strings.TrimSpace(now + " " + words[0])
		if now != "" && columns(next)+gap+len(` \`) > width {
			out, now = append(out, said(now+` \`).indented(gap).cut(width)), ""
			continue
		}
		now, words = next, words[1:]
		if len(words) == 0 {
			out = append(out, line{{shortened(now, width-gap), 0}}.indented(gap))
		}
	}
	return append(out, indentedAll(painted(pretty.Faint, does).wrapped(width-gap, 0), gap)...)
}

// moreLines say how one sees more of the same.
func (r *Report) moreLines(width int) []line {
	run, studies := r.Front.Run, r.Front.Studies
	switch {
	case len(r.Answers) > 1 || run == "" || strings.ContainsFunc(run, unquoted):
		return command("more", width, "--long", "prints everything")
	case len(studies) > 1 && !strings.ContainsFunc(studies[0].Name, unquoted):
		return command("more", width, "memcost report "+run+" "+studies[0].Name, "one study in full; --long: all")
	}
	return command("more", width, "memcost report "+run+" --long", "everything")
}

// unquoted reports whether a character keeps a name from standing in a command as it is.
func unquoted(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune("'\"\\$`!*?[](){}<>|&;#~", r)
}

// footSection says where the same is seen, how one sees more, and what to do next.
func footSection(r *Report, width int) *section {
	f := r.Front
	var rows []line
	if r.Page != "" {
		rows = append(rows, command("look", width, r.Page, "")...)
	}
	rows = append(rows, r.moreLines(width)...)
	good := len(rows)
	for i, n := range f.Next {
		if rows = append(rows, command("next", width, n.Command, n.Does)...); i == 0 {
			good = len(rows)
		}
	}
	return &section{rows: rowsOf(rows), rank: 0, good: good, least: min(len(rows), 4)}
}

// leftOutSection names the shipped studies that the run does not have.
func leftOutSection(f *answer.Front, width int) *section {
	if len(f.LeftOut) == 0 {
		return nil
	}
	var names []string
	for _, l := range f.LeftOut {
		names = append(names, l.Study)
	}
	say := "not in this run: " + strings.Join(names, ", ") + "; for example " + f.LeftOut[0].Command
	return &section{rows: rowsOf([]line{painted(pretty.Faint, say).cut(width)}), rank: 6}
}

// measured says how much was; a file has samples of others, and no rounds.
func measured(t *answer.Trust) string {
	if t.Rounds == 0 {
		return units.Thousands(t.Processes) + " samples"
	}
	return units.Thousands(t.Processes) + " processes, " + units.Plural(t.Rounds, "round")
}
