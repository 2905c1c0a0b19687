// Package markdown writes a document as GitHub's Markdown, for a comment on a pull request or for
// a file. It is never more than GitHub takes, and nothing in names, messages and code of others
// can be more than text: no markup, no HTML, no mention, no link.
package markdown

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// Most is the most that GitHub takes as a comment, in characters; here in bytes, to be safe.
const Most = 65_536

// Options say how a document is written.
type Options struct {
	Most int // in bytes; 0 is Most
}

const tail = 200 // for the last line

// Write writes a document.
func Write(w io.Writer, d *document.Document, o Options) error {
	m := &writer{headings: map[*document.Heading]heading{}}
	m.blocks(d.Blocks, nil, false)
	pieces := make([]*document.Piece, len(m.parts))
	at := map[*document.Piece]*part{}
	for i, x := range m.parts {
		x.measure()
		pieces[i], at[&x.Piece] = &x.Piece, x
	}
	fitting := document.Fit(pieces, 0, cmp.Or(o.Most, Most)-tail)
	var b strings.Builder
	var open []*document.Heading
	fitting.Each(func(piece *document.Piece, begins []*document.Heading, _ bool) {
		m.close(&b, open, len(piece.Within)-len(begins))
		for _, h := range begins {
			b.WriteString(m.headings[h].begin)
		}
		open = piece.Within
		at[piece].write(&b, fitting.Full)
	})
	m.close(&b, open, 0)
	gone := 0
	for _, p := range pieces {
		if p.Gone() && len(p.Rows) > 0 {
			gone++
		}
	}
	if gone > 0 {
		fmt.Fprintf(&b, "\n%s left out for want of room; `--json` has all.\n", units.Plural(gone, "part"))
	}
	_, err := io.WriteString(w, single(b.String()))
	return err
}

// single returns a text with single blank lines, outside of code that has its own.
func single(s string) string {
	s = strings.TrimLeft(s, "\n")
	var b strings.Builder
	blank, fenced := false, ""
	for line := range strings.Lines(s) {
		words := strings.TrimSuffix(line, "\n")
		switch mark := words[:len(words)-len(strings.TrimLeft(words, "`"))]; {
		case fenced != "":
			if words == fenced {
				fenced = ""
			}
		case len(mark) >= 3:
			fenced = mark
		case words == "" && blank:
			continue
		}
		blank = words == ""
		b.WriteString(line)
	}
	return b.String()
}

// A writer lays blocks out as parts.
type writer struct {
	parts    []*part
	headings map[*document.Heading]heading
}

// A heading is what stands around blocks.
type heading struct{ begin, end string }

// close ends what is open beyond so many headings.
func (m *writer) close(b *strings.Builder, open []*document.Heading, stay int) {
	for i := len(open) - 1; i >= max(stay, 0); i-- {
		b.WriteString(m.headings[open[i]].end)
	}
}

// A part is a block whose rows may be left out.
type part struct {
	document.Piece
	head string
	rows []row
	last string // rows that stay below the others
	tail string
	left int // rows that are left out in any case
}

// A row is Markdown, or less where there is no room for it.
type row struct{ full, short string }

// leftOut is longer than any line that says how many rows are left out.
const leftOut = "\n1,000,000 more are left out for want of room; `--json` has all.\n\n"

func (x *part) measure() {
	x.Around = len(x.head) + len(x.last) + len(x.tail)
	for _, r := range x.rows {
		x.Rows = append(x.Rows, document.Room{Full: len(r.full), Short: len(r.short)})
	}
	if x.More = len(leftOut); x.left > 0 {
		x.Around += x.More
	}
	if len(x.rows) == 1 {
		x.More = 0
	}
}

func (x *part) write(b *strings.Builder, full bool) {
	b.WriteString(x.head)
	for _, i := range x.Kept() {
		if full {
			b.WriteString(x.rows[i].full)
		} else {
			b.WriteString(x.rows[i].short)
		}
	}
	b.WriteString(x.last)
	if n := x.Left() + x.left; n > 0 {
		fmt.Fprintf(b, "\n%s more left out; `--json` has all.\n", units.Thousands(n))
	}
	b.WriteString(x.tail)
}

func (m *writer) add(f *document.Frame, within []*document.Heading, x *part) {
	x.Frame, x.Within = f, within
	m.parts = append(m.parts, x)
}

// one adds Markdown that goes as a whole or not at all.
func (m *writer) one(f *document.Frame, within []*document.Heading, full, short string) {
	m.add(f, within, &part{rows: []row{{full, cmp.Or(short, full)}}})
}

// blocks lays blocks out; folded is whether they stand in a fold, where there is room for all rows.
func (m *writer) blocks(blocks []document.Block, within []*document.Heading, folded bool) {
	for _, b := range blocks {
		f := b.Framed()
		if !f.Shown(document.Markdown, true) {
			continue
		}
		switch b := b.(type) {
		case *document.Sentence:
			if !b.Text.Empty() {
				m.one(f, within, sentence(b, b.Text), sentence(b, b.Short))
			}
		case *document.Table:
			m.table(b, within, folded)
		case *document.Facts:
			m.facts(b, within)
		case *document.Picture:
			m.picture(b, within, folded)
		case *document.Fold:
			m.fold(b, within)
		case *document.Source:
			if len(b.Lines) > 0 {
				m.one(f, within, source(b), "")
			}
		case *document.Group:
			m.group(b, within, folded)
		}
	}
}

func sentence(s *document.Sentence, t document.Text) string {
	switch said := text(t, prose); {
	case said == "":
		return ""
	case s.Item:
		return "- " + said + "\n"
	default:
		return "\n" + said + "\n\n"
	}
}

func title(t document.Text) string {
	if t.Empty() {
		return ""
	}
	return "\n**" + unmarked(t) + "**\n\n"
}

// unmarked returns a text none of whose spans stands out: all of it does.
func unmarked(t document.Text) string {
	var out document.Text
	for _, s := range t {
		switch s.Kind {
		case document.Strong, document.Number:
			s.Kind = document.Plain
		}
		out = append(out, s)
	}
	return text(out, prose)
}

func (m *writer) heading(within []*document.Heading, begin, end string) []*document.Heading {
	if begin == "" {
		return within
	}
	h := &document.Heading{Room: len(begin) + len(end)}
	m.headings[h] = heading{begin, end}
	return append(within[:len(within):len(within)], h)
}

func (m *writer) fold(f *document.Fold, within []*document.Heading) {
	open := ""
	if f.Open {
		open = " open"
	}
	begin := "\n<details" + open + "><summary>" + text(f.Head, figures) + "</summary>\n\n"
	m.blocks(f.Blocks, m.heading(within, begin, "\n</details>\n\n"), true)
}

func (m *writer) group(g *document.Group, within []*document.Heading, folded bool) {
	head := title(g.Head)
	if g.Level > 0 && head != "" {
		head = "\n" + strings.Repeat("#", min(g.Level+2, 6)) + " " + unmarked(g.Head) + "\n\n"
	}
	items := g.Items()
	if items == nil {
		m.blocks(g.Blocks, m.heading(within, head, ""), folded)
		return
	}
	x := &part{head: cmp.Or(head, "\n"), tail: "\n"}
	for _, s := range items {
		if s.Shown(document.Markdown, true) && !s.Text.Empty() {
			full := sentence(s, s.Text)
			x.rows = append(x.rows, row{full, cmp.Or(sentence(s, s.Short), full)})
			x.Ranks = append(x.Ranks, s.Rank)
		}
	}
	x.limit(&g.Frame, folded)
	if len(x.rows) > 0 {
		m.add(&g.Frame, within, x)
	}
}

// limit leaves out rows that are shown only where all is asked for, as in a fold.
func (x *part) limit(f *document.Frame, folded bool) {
	if most := f.Most; most > 0 && !folded && len(x.rows) > most {
		x.left += len(x.rows) - most
		x.rows, x.Ranks = x.rows[:most], x.Ranks[:most]
	}
}

func (m *writer) facts(f *document.Facts, within []*document.Heading) {
	x := &part{head: cmp.Or(title(f.Title), "\n"), tail: "\n"}
	for _, fact := range f.Facts {
		said := text(fact.Text, prose)
		if label := plain(fact.Label, longestGiven); label != "" {
			said = label + ": " + said
		}
		x.rows = append(x.rows, row{"- " + said + "\n", "- " + said + "\n"})
		x.Ranks = append(x.Ranks, 0)
	}
	if len(x.rows) > 0 {
		m.add(&f.Frame, within, x)
	}
}

func (m *writer) picture(p *document.Picture, within []*document.Heading, folded bool) {
	said := ""
	if !p.Says.Empty() {
		said = "\n" + text(p.Says, prose) + "\n\n"
	}
	shown := p.Table != nil && p.Table.Shown(document.Markdown, true) && len(p.Table.Rows) > 0
	head := ""
	if !shown || p.Table.Title.Empty() {
		head = title(p.Title)
	}
	notes := notes(p.Notes)
	if !shown {
		m.one(&p.Frame, within, head+said+notes, "")
		return
	}
	t := *p.Table
	t.Frame = p.Frame
	m.titled(&t, within, folded, head+said, notes)
}

func notes(all []document.Text) string {
	out := ""
	for _, n := range all {
		if said := text(n, prose); said != "" {
			out += "\n" + said + "\n\n"
		}
	}
	return out
}

func (m *writer) table(t *document.Table, within []*document.Heading, folded bool) {
	m.titled(t, within, folded, "", "")
}

// titled lays a table out, below what stands above it and above what stands below.
func (m *writer) titled(t *document.Table, within []*document.Heading, folded bool, head, below string) {
	if t = t.For(document.Markdown, true); len(t.Rows) == 0 {
		return
	}
	as := settings(t)
	heads, rules := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i], rules[i] = plain(c.Head, longestGiven), ":--"
		if !strings.ContainsFunc(c.Head, unicode.IsLetter) { // a sign, which nothing else explains
			heads[i] = strings.TrimSpace(heads[i] + " " + plain(c.Title, longestGiven))
		}
		if t.KindOf(i) == document.Figure {
			rules[i] = "--:"
		}
	}
	x := &part{head: head + title(t.Title) + "\n" + cells(heads) + cells(rules), left: max(t.LeftOut, 0)}
	last := ""
	rows := t.Rows
	if t.Most > 0 && !folded {
		rows = t.First(t.Most)
		x.left += len(t.Rows) - len(rows)
	}
	for i := range rows {
		r := &rows[i]
		said := make([]string, len(t.Columns))
		for j := range said {
			if j < len(r.Cells) {
				said[j] = text(r.Cells[j], as[j])
			}
		}
		if r.Head {
			said = make([]string, len(t.Columns))
			if len(r.Cells) > 0 && len(said) > 0 {
				said[0] = strings.TrimSpace(around("**", unmarked(r.Cells[0])))
			}
		}
		if r.Last {
			last += cells(said)
			continue
		}
		x.rows = append(x.rows, row{cells(said), cells(said)})
		x.Ranks = append(x.Ranks, r.Rank)
	}
	x.last, x.tail = last, "\n"+notes(t.Notes)+below
	m.add(&t.Frame, within, x)
	for _, r := range t.Rows[:min(len(x.rows), len(t.Rows))] {
		m.detail(t, r, within)
	}
}

// detail lays out what a row unfolds to, below the table, with what the row is called.
func (m *writer) detail(t *document.Table, r document.Row, within []*document.Heading) {
	var names document.Text
	for i, c := range t.Columns {
		if kind := c.Kind; i < len(r.Cells) && (kind == document.Key || kind == document.Name) && len(r.Cells[i]) > 0 {
			end := slices.IndexFunc(r.Cells[i], func(s document.Span) bool { return s.Kind == document.Break })
			if end < 0 {
				end = len(r.Cells[i])
			}
			if len(names) > 0 {
				names = names.Said(" ")
			}
			names = names.And(r.Cells[i][:end])
		}
	}
	for _, b := range r.Detail {
		f, ok := b.(*document.Fold)
		if !ok {
			m.blocks([]document.Block{b}, within, true)
			continue
		}
		named := *f
		named.Head = names.Said(": ").And(f.Head)
		m.fold(&named, within)
	}
}

// settings returns how the columns of a table are set.
func settings(t *document.Table) []setting {
	out := make([]setting, len(t.Columns))
	for i := range t.Columns {
		switch t.KindOf(i) {
		case document.Key, document.Name:
			out[i] = names
		case document.Figure, document.Words:
			out[i] = figures
		}
	}
	return out
}

func cells(said []string) string { return "| " + strings.Join(said, " | ") + " |\n" }

func source(s *document.Source) string {
	numbered := false
	for _, l := range s.Lines {
		numbered = numbered || l.Number > 0
	}
	var lines []string
	for _, l := range s.Lines {
		code := document.CleanCode(l.Text)
		switch {
		case s.Language == "diff":
			code = strings.Trim(string(rune(l.Mark)), "\x00") + code
		case numbered:
			code = fmt.Sprintf("%5s  %s", number(l.Number), code)
			if s.Marked() {
				code = map[bool]string{true: "> ", false: "  "}[l.Mark == '>'] + code
			}
		}
		if note := document.Clean(l.Note.String()); note != "" {
			code += "  // " + strings.TrimPrefix(note, "// ")
		}
		lines = append(lines, code)
	}
	head := ""
	if s.File != "" {
		head = "\n" + name(s.File) + "\n"
	}
	return head + "\n" + fence(s.Language, lines) + "\n"
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
