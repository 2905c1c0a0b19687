// Package terminal draws a document on a terminal, or as plain text for a pipe: sentences broken
// at its width, tables fitted to it, colours that repeat what the words say. It is pure: the same
// document in the same style gives the same bytes.
package terminal

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/document"
)

// Style says how a document is drawn.
type Style struct {
	Width int  // columns; 0: no limit is known, as of a pipe
	Color bool // words are coloured
	Long  bool // everything, where there is more than one reads at once
	Lines int  // of the whole at most: what gives way is the document's to say; 0 is no limit
}

// AtMost returns the style no wider than so many columns; a width that is not known stays so.
func (s Style) AtMost(width int) Style {
	s.Width = min(s.Width, width)
	return s
}

// Screen returns the style of what is read at once: 100 columns and 45 lines, all of it with Long.
func (s Style) Screen() Style {
	if s.Width == 0 {
		s.Width = 100
	}
	if s.Width = min(s.Width, 100); !s.Long {
		s.Lines = 45
	}
	return s
}

// Write draws a document.
func Write(w io.Writer, d *document.Document, s Style) error {
	buf := bufio.NewWriter(w)
	for _, l := range draw(d.Blocks, s) {
		buf.WriteString(l.text(s.Color) + "\n")
	}
	return buf.Flush()
}

// draw returns the lines of blocks.
func draw(blocks []document.Block, s Style) []line {
	p := &printer{Style: s, headings: map[*document.Heading][]line{}}
	p.blocks(blocks, 0, nil)
	pieces := make([]*document.Piece, len(p.parts))
	at := map[*document.Piece]*part{}
	for i, x := range p.parts {
		x.measure()
		pieces[i], at[&x.Piece] = &x.Piece, x
	}
	fitting := document.Fit(pieces, 1, s.Lines)
	var out []line
	fitting.Each(func(piece *document.Piece, begins []*document.Heading, spaced bool) {
		if spaced {
			out = append(out, nil)
		}
		for _, h := range begins {
			out = append(out, p.headings[h]...)
		}
		out = append(out, at[piece].lines(fitting.Full, s.Width)...)
	})
	if s.Lines > 0 && s.Width > 0 {
		for i, l := range out {
			out[i] = l.cut(s.Width)
		}
	}
	return out
}

// A printer lays blocks out as parts.
type printer struct {
	Style
	parts    []*part
	headings map[*document.Heading][]line
}

// A part is a block, or a piece of one, whose rows may be left out.
type part struct {
	document.Piece
	head  []line // above the rows
	rows  []row
	tail  []line // below them
	flow  bool   // its rows are one text, which ends with "…" where some are left out
	aside int    // how many rows are left out stands behind this line of the head; 0: below
	left  int    // rows that are left out in any case
	more  string // what shows those that are left out; "": it is not said
	inset int
	room  int // columns that there are where lines are counted
}

// A row is lines, or fewer where there is no room for all of them.
type row struct{ full, short []line }

// last returns the lines of a row that stays, which takes no more room than it must.
func (r row) last() []line {
	if r.short != nil {
		return r.short
	}
	return r.full
}

// rowsOf makes a row of each line.
func rowsOf(lines []line) []row {
	out := make([]row, len(lines))
	for i := range lines {
		out[i] = row{lines[i : i+1], lines[i : i+1]}
	}
	return out
}

// measure says what the part takes.
func (x *part) measure() {
	x.Around = len(x.head) + len(x.tail)
	for _, r := range x.rows {
		x.Rows = append(x.Rows, document.Room{Full: len(r.full), Short: len(r.short)})
	}
	if x.flow || x.aside > 0 || x.more == "" {
		return
	}
	if x.left > 0 {
		x.Around++
	} else {
		x.More = 1
	}
}

// lines returns the part as far as it is shown.
func (x *part) lines(full bool, width int) []line {
	out := append([]line(nil), x.head...)
	left := x.Left() + x.left
	if left > 0 && x.aside > 0 && x.more != "" {
		aside := painted(pretty.Faint, fmt.Sprintf(" (%d more: %s)", left, x.more))
		title := &out[x.aside-1]
		if x.room > 0 && title.width()+aside.width() > x.room {
			*title = title.cut(x.room - aside.width())
		}
		*title = title.with(aside)
	}
	for _, i := range x.Kept() {
		if full {
			out = append(out, x.rows[i].full...)
		} else {
			out = append(out, x.rows[i].short...)
		}
	}
	switch {
	case x.flow && left > 0 && len(out) > 0:
		out[len(out)-1] = out[len(out)-1].ended(width)
	case left > 0 && x.aside == 0 && x.more != "":
		out = append(out, inset([]line{painted(0, fmt.Sprintf("… and %d more: %s", left, x.more))}, x.inset)...)
	}
	return append(out, x.tail...)
}

// add lays a part out in a frame: rows beyond its Most are left out.
func (p *printer) add(f *document.Frame, within []*document.Heading, x *part) {
	x.Frame, x.Within = f, within
	if p.Lines > 0 {
		x.room = p.Width
	}
	if most := f.Most; most > 0 && !p.Long && len(x.rows) > most {
		x.left += len(x.rows) - most
		x.rows = x.rows[:most]
		if x.Ranks != nil {
			x.Ranks = x.Ranks[:most]
		}
	}
	p.parts = append(p.parts, x)
}

// blocks lays blocks out, set in by columns.
func (p *printer) blocks(blocks []document.Block, in int, within []*document.Heading) {
	for _, b := range blocks {
		f := b.Framed()
		if !f.Shown(document.Terminal, p.Long) {
			continue
		}
		in := in + f.Inset
		switch b := b.(type) {
		case *document.Sentence:
			p.sentence(b, in, within)
		case *document.Table:
			p.table(b, in, within)
		case *document.Facts:
			p.facts(b, in, within)
		case *document.Picture:
			p.picture(b, in, within)
		case *document.Fold:
			p.fold(b, in, within)
		case *document.Source:
			p.source(b, in, within)
		case *document.Group:
			p.group(b, in, within)
		}
	}
}

// room returns what a width has after columns that are set in; 0 is without limit.
func (p *printer) room(in int) int {
	if p.Width <= 0 {
		return 0
	}
	return max(p.Width-in, 1)
}

// wrap breaks a text into lines that are set in.
func (p *printer) wrap(t document.Text, in, hang int) []line {
	room := p.room(in)
	if one := p.lineOf(t); soft(t) && (room == 0 || one.width() <= room) {
		return inset([]line{one}, in)
	}
	var out []line
	for _, l := range p.linesOf(t) {
		out = append(out, l.wrapped(room, hang, p.words())...)
	}
	return inset(out, in)
}

// soft reports whether all breaks of a text are needed only where there is no room.
func soft(t document.Text) bool {
	return !slices.ContainsFunc(t, func(s document.Span) bool { return s.Kind == document.Break && s.Text == "" })
}

// words says what happens to a word that no line holds: it stays whole unless lines are counted.
func (p *printer) words() long {
	if p.Lines > 0 {
		return shorn
	}
	return whole
}

// mostTitle is how many lines a heading takes at most where lines are counted.
const mostTitle = 3

// title returns a text as a heading.
func (p *printer) title(t document.Text, in int) []line {
	if t.Empty() {
		return nil
	}
	out := p.wrap(t, in, gap)
	for i, l := range out {
		out[i] = l.in(pretty.Bold)
	}
	if p.Lines > 0 {
		return few(out, mostTitle, p.Width)
	}
	return out
}

func (p *printer) sentence(s *document.Sentence, in int, within []*document.Heading) {
	if s.Text.Empty() {
		return
	}
	lines := p.wrap(s.Text, in, s.Hang)
	if s.Flow {
		p.add(&s.Frame, within, &part{rows: rowsOf(lines), flow: true})
		return
	}
	p.add(&s.Frame, within, &part{rows: []row{{lines, p.shortly(s, lines, in, s.Hang)}}})
}

// shortly returns the short form of a sentence.
func (p *printer) shortly(s *document.Sentence, lines []line, in, hang int) []line {
	if s.Short == nil {
		return lines
	}
	return p.wrap(s.Short, in, hang)
}

// heading adds what stands above blocks as long as one of them is shown.
func (p *printer) heading(within []*document.Heading, gap int, lines []line) []*document.Heading {
	h := &document.Heading{Room: len(lines), Gap: gap}
	p.headings[h] = lines
	return append(within[:len(within):len(within)], h)
}

func (p *printer) fold(f *document.Fold, in int, within []*document.Heading) {
	if p.Long || f.Open {
		p.blocks(f.Blocks, in+gap, p.heading(within, f.Gap, p.title(f.Head, in)))
		return
	}
	if f.Hint != "" {
		say := f.Head.And(document.As(document.Faint, " ("+f.Hint+")"))
		lines := p.wrap(say, in, gap)
		p.add(&f.Frame, within, &part{rows: []row{{lines, lines}}})
	}
}

func (p *printer) group(g *document.Group, in int, within []*document.Heading) {
	if items := g.Items(); items != nil {
		p.list(g, items, in, within)
		return
	}
	p.blocks(g.Blocks, in, p.heading(within, g.Gap, p.title(g.Head, in)))
}

// list lays out a group of sentences: those that are left out are counted.
func (p *printer) list(g *document.Group, items []*document.Sentence, in int, within []*document.Heading) {
	x := &part{head: p.title(g.Head, in), more: "--long", inset: in}
	if x.aside = len(x.head); x.aside > 0 {
		in += gap
	}
	for _, s := range items {
		if !s.Shown(document.Terminal, p.Long) || s.Text.Empty() {
			continue
		}
		hang := max(s.Hang, gap)
		lines := p.wrap(s.Text, in+s.Inset, hang)
		short := p.shortly(s, lines, in+s.Inset, hang)
		if s.Flow {
			short = inset([]line{p.lineOf(s.Text).cut(max(p.room(in+s.Inset), 1))}, in+s.Inset)
		}
		x.rows = append(x.rows, row{lines, short})
		x.Ranks = append(x.Ranks, s.Rank)
	}
	if len(x.rows) > 0 {
		p.add(&g.Frame, within, x)
	}
}

func (p *printer) picture(b *document.Picture, in int, within []*document.Heading) {
	shown := b.Table != nil && b.Table.Shown(document.Terminal, p.Long) && len(b.Table.Rows) > 0
	var head []line
	if !shown || b.Table.Title != nil {
		head = p.title(b.Title, in)
	}
	if !b.Says.Empty() {
		head = append(head, p.wrap(b.Says, in, gap)...)
	}
	if !shown {
		head = append(head, p.notes(b.Notes, in)...)
	}
	f := b.Frame
	if len(head) > 0 {
		p.add(&b.Frame, within, &part{rows: []row{{head, head}}})
		f.Gap = 0
	}
	if !shown {
		return
	}
	t := *b.Table
	t.Frame = f
	if t.Title == nil {
		t.Title = b.Title
	}
	t.Notes = append(t.Notes[:len(t.Notes):len(t.Notes)], b.Notes...)
	p.table(&t, in+b.Table.Inset, within)
}

func (p *printer) notes(notes []document.Text, in int) []line {
	var out []line
	for _, n := range notes {
		out = append(out, p.wrap(n, in, gap)...)
	}
	return out
}

// factColumn is where what stands beside a label begins at least.
const factColumn = 8

func (p *printer) facts(b *document.Facts, in int, within []*document.Heading) {
	if len(b.Facts) == 0 {
		return
	}
	x := &part{head: p.title(b.Title, in), flow: b.Flow}
	if len(x.head) > 0 {
		in += gap
	}
	column := factColumn
	for _, f := range b.Facts {
		column = max(column, columns(document.Clean(f.Label))+gap)
	}
	for _, f := range b.Facts {
		lines := inset(p.fact(f, column, p.room(in)), in)
		if b.Flow {
			x.rows = append(x.rows, rowsOf(lines)...)
		} else {
			x.rows = append(x.rows, row{lines, lines})
		}
	}
	p.add(&b.Frame, within, x)
}

// fact returns a text behind its label, broken so that it stands beside the label.
func (p *printer) fact(f document.Fact, column, width int) []line {
	label := painted(pretty.Bold, document.Clean(f.Label))
	if len(f.Text) > 0 && f.Text[0].Kind == document.Code && width > 0 {
		return p.command(label, column, width, f.Text)
	}
	var out []line
	for i, part := range p.linesOf(f.Text) {
		if width > 0 && width < 3*column { // too narrow for two columns
			if i == 0 && f.Label != "" {
				part = label.with(painted(0, " "), part)
			}
			out = append(out, part.wrapped(width, gap, p.words())...)
			continue
		}
		for _, l := range part.wrapped(max(width-column, 0), 0, p.words()) {
			if len(out) == 0 {
				out = append(out, label.filled(column).with(l))
			} else {
				out = append(out, inset([]line{l}, column)...)
			}
		}
	}
	return out
}

// command returns a command and what is said of it; where the line is too short, the command is
// broken so that a shell still takes it.
func (p *printer) command(label line, column, width int, t document.Text) []line {
	cmd, rest := p.lineOf(t[:1]), p.lineOf(t[1:])
	at := column
	if width < 3*column {
		at = gap
	}
	does := rest
	if len(rest) > 0 {
		does = rest.trimmed()
	}
	one := label.filled(column).with(cmd)
	if one.width() <= width {
		if all := one.with(rest); all.width() <= width {
			return []line{all}
		}
		return append([]line{one}, inset(does.wrapped(width-at, 0, p.words()), at)...)
	}
	out := []line{label}
	words := strings.Fields(cmd.words())
	for now := ""; len(words) > 0; {
		next := strings.TrimSpace(now + " " + words[0])
		if now != "" && columns(next)+gap+len(` \`) > width {
			out, now = append(out, painted(0, spaces(gap)+now+` \`)), ""
			continue
		}
		now, words = next, words[1:]
		if len(words) == 0 {
			if p.Lines > 0 {
				now = middleOut(now, width-gap)
			}
			out = append(out, painted(0, spaces(gap)+now))
		}
	}
	if does == nil {
		return out
	}
	return append(out, inset(does.wrapped(width-gap, 0, p.words()), gap)...)
}

// trimmed returns the line without spaces at its beginning.
func (l line) trimmed() line {
	for i, s := range l {
		if s.text = strings.TrimLeft(s.text, " "); s.text != "" {
			return append(line{s}, l[i+1:]...)
		}
	}
	return nil
}

// markColor is the colour of the lines that a source marks.
var markColor = map[byte]pretty.Color{'+': pretty.FgGreen, '-': pretty.FgRed, '>': pretty.Bold}

func (p *printer) source(b *document.Source, in int, within []*document.Heading) {
	if len(b.Lines) == 0 {
		return
	}
	x := &part{more: "--long", inset: in}
	if b.File != "" {
		x.head = p.title(document.As(document.Given, b.File), in)
	}
	margin, number := 0, 0
	for _, l := range b.Lines {
		margin = max(margin, p.lineOf(l.Margin).width())
		if l.Number > 0 {
			number = max(number, len(strconv.Itoa(l.Number)), 5)
		}
	}
	for _, l := range b.Lines {
		lines := inset(p.sourceLine(b, l, margin, number, p.room(in)), in)
		x.rows = append(x.rows, row{lines, lines})
	}
	p.add(&b.Frame, within, x)
}

// sourceLine returns a line of a source, and its note beside it where there is room, else below.
func (p *printer) sourceLine(b *document.Source, l document.SourceLine, margin, number, width int) []line {
	var before line
	if margin > 0 {
		before = p.lineOf(l.Margin).filled(margin + gap)
	}
	if number > 0 {
		n := ""
		if l.Number > 0 {
			n = strconv.Itoa(l.Number)
		}
		if b.Marked() {
			before = before.with(painted(markColor[l.Mark], map[bool]string{true: "> ", false: "  "}[l.Mark == '>']))
		}
		before = before.with(painted(pretty.Faint, n).after(number), painted(0, spaces(gap)))
	}
	code := document.CleanCode(strings.TrimRight(l.Text, "\r\n"))
	indent := before.width() + len(code) - len(strings.TrimLeft(code, " "))
	if b.Language == "diff" && l.Mark != 0 {
		code = string(rune(l.Mark)) + code
	}
	out := before.with(painted(markColor[l.Mark], code))
	note := p.lineOf(l.Note)
	switch {
	case len(note) == 0:
	case width <= 0 || out.width()+gap+note.width() <= width:
		return []line{out.with(painted(0, spaces(gap)), note)}
	default:
		indent = min(indent, width/2)
		return append([]line{out.cut(width)}, inset(note.wrapped(width-indent, 0, p.words()), indent)...)
	}
	if width > 0 && b.Language != "diff" {
		out = out.cut(width)
	}
	return []line{out}
}
