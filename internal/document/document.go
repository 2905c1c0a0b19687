// Package document holds what is shown, as blocks that a terminal, Markdown and an HTML page each
// know how to draw. An answer is turned into blocks once, beside the answer; a renderer draws
// blocks and knows nothing else: it computes nothing and knows no study.
//
// Texts are spans, so that the rules of writing live in one place: what has which glyph, word and
// colour, and that nobody's text brings escapes, bidirectional marks, markup, mentions or
// formulas. A span holds the text as it was given; each renderer makes it harmless in its own way.
package document

import "slices"

// A Document is blocks in their order.
type Document struct {
	Title  string // of the page
	Nav    Text   // links to the page's parts, in its header
	Blocks []Block
}

// Add appends blocks; nil ones are passed over.
func (d *Document) Add(blocks ...Block) { d.Blocks = appendBlocks(d.Blocks, blocks) }

func appendBlocks(to, blocks []Block) []Block {
	for _, b := range blocks {
		if b != nil {
			to = append(to, b)
		}
	}
	return to
}

// A Block is one of *Sentence, *Table, *Facts, *Picture, *Fold, *Source and *Group.
type Block interface {
	// Framed says where a block is shown and what gives way where there is too little room.
	Framed() *Frame
}

// A Frame is what all blocks have. Where a terminal's lines or Markdown's characters do not
// suffice, blocks give way in one order: first what is said at greater length than it need be,
// then rows above Good of the blocks of the highest Rank, the longest first, then empty lines,
// then rows above Least, then blocks as a whole.
type Frame struct {
	ID    string  // for links to it, and for the page's scripts; "" has none
	Class string  // what it is to the page's style: "study", "advice"
	On    Targets // where it is shown; 0 is everywhere
	Rank  int     // blocks of a higher rank give way first; 0 stays longest
	Good  int     // rows or lines that stay until others are down to theirs; 0 is all, -1 none
	Least int     // those that stay until nothing else can be left out; -1: not even a single one
	Most  int     // rows (of the lowest rank) or lines that are shown where not all is asked for; 0 is all
	Gap   int     // of empty lines before blocks, those with a higher number go first; 0 is no line
	Inset int     // columns by which it is set in on a terminal
	Long  bool    // shown only where all is asked for (--long), on the page, and in Markdown
}

// Shown reports whether a renderer shows the block; all is whether everything is asked for.
func (f *Frame) Shown(on Targets, all bool) bool { return f.On.Has(on) && (all || !f.Long) }

// Framed implements Block.
func (f *Frame) Framed() *Frame { return f }

// Targets says which renderers show a block.
type Targets uint8

const (
	Terminal Targets = 1 << iota
	Markdown
	Page
	nowhere
)

// Has reports whether a block for these targets is shown on one of them.
func (t Targets) Has(one Targets) bool { return t == 0 || t&one != 0 }

// A Sentence is running text. It goes as a whole or not at all, unless it may Flow.
type Sentence struct {
	Frame
	Text  Text
	Short Text // instead of Text where there is no room for it; nil: there is no shorter form
	Hang  int  // columns by which the lines after the first are set in on a terminal
	Item  bool // one of a list: a bullet in Markdown and on the page
	Flow  bool // may be cut at a line, and then ends with "…"
}

// A Table is figures and words in rows and columns.
type Table struct {
	Frame
	Title    Text
	Columns  []Column
	Rows     []Row
	LeftOut  int    // rows that are not among Rows; -1: it is not said how many are left out
	More     string // what shows those that are left out: "--long"
	Notes    []Text // below it
	Headless bool   // no header: the title and the cells say enough
	Bare     int    // where fewer columns than so many have room, intervals are left out first
	Sortable bool   // the page's reader may sort and filter it
}

// A Column is the head of a column and how it is set.
type Column struct {
	Head  string
	Kind  ColumnKind
	Drop  int     // where the width does not suffice, columns are left out, the highest number first; 0 stays
	Most  int     // how wide it may be at most on a terminal; 0: as it needs
	Least int     // how narrow prose may become before other columns are left out; 0 is 16
	Whole bool    // never cut: it takes lines where other rows have one
	Title string  // what the head means in a sentence, where it needs one
	On    Targets // where it is shown; 0 is everywhere
	// Choose lets the page's reader leave the rows that have one text of a sortable table's column.
	Choose bool
}

// A ColumnKind says what stands in a column, which decides how it is aligned and what happens to
// what does not fit.
type ColumnKind uint8

const (
	Figure ColumnKind = iota // set to the right, never cut
	Key                      // tells rows apart: set to the left, stays when a wide table is split
	Words                    // set to the left
	Name                     // a name of the user's, which differs at its end: cut in the middle
	Prose                    // sentences: wrapped
)

// A Row is one row of a table.
type Row struct {
	ID     string
	Class  string // what it is to the style: a family of means ("stack", "heap") has a colour
	Cells  []Text
	Rank   int     // rows of a higher rank are left out first; among equals the last
	Detail []Block // what stands below the row, on the page behind a click; a Fold alone is its head
	Head   bool    // the row is a heading of those after it: its first cell stands alone
	Long   bool    // shown only where all is asked for (--long), on the page, and in Markdown
	Last   bool    // the row stands below all others, and stays: a sum, a mean
}

// Add appends a row of cells.
func (t *Table) Add(cells ...Text) *Row {
	t.Rows = append(t.Rows, Row{Cells: cells})
	return &t.Rows[len(t.Rows)-1]
}

// First returns so many rows, in their order: those of the lowest rank, with those that stand below
// all others.
func (t *Table) First(most int) []Row {
	var ranks []int
	for _, r := range t.Rows {
		if !r.Last {
			ranks = append(ranks, r.Rank)
		}
	}
	if len(ranks) <= most {
		return t.Rows
	}
	slices.Sort(ranks)
	least, among := ranks[most], 0 // of rows of this rank, only the first ones fit
	for _, r := range ranks[:most] {
		if r == least {
			among++
		}
	}
	var out []Row
	for _, r := range t.Rows {
		switch {
		case r.Last || r.Rank < least:
		case r.Rank > least || among == 0:
			continue
		default:
			among--
		}
		out = append(out, r)
	}
	return out
}

// Say appends a row of words of ours.
func (t *Table) Say(cells ...string) *Row {
	texts := make([]Text, len(cells))
	for i, c := range cells {
		texts[i] = Say(c)
	}
	return t.Add(texts...)
}

// Heads returns columns of a kind.
func Heads(kind ColumnKind, heads ...string) []Column {
	out := make([]Column, len(heads))
	for i, h := range heads {
		out[i] = Column{Head: h, Kind: kind}
	}
	return out
}

// Facts are labels, each with what is said of it.
type Facts struct {
	Frame
	Title Text
	Facts []Fact
	Flow  bool // texts may be cut at a line, and then end with "…"
}

// A Fact is a label and its text.
type Fact struct {
	Label string
	Text  Text
}

// Add appends a fact; one without text is passed over.
func (f *Facts) Add(label string, text ...Span) {
	if len(text) > 0 {
		f.Facts = append(f.Facts, Fact{label, text})
	}
}

// A Picture is drawn by the page's scripts from its data. Everywhere else, and without scripts,
// its sentence and its table stand in its place.
type Picture struct {
	Frame
	Kind  PictureKind
	Title Text
	Says  Text // the one sentence that it shows
	Data  any  // what the script of its kind reads, as JSON
	Table *Table
	Notes []Text
}

// A PictureKind is a way of drawing, which the page has a script for.
type PictureKind string

// A Fold is blocks behind a sentence: all of them with --long, and one click away on the page.
type Fold struct {
	Frame
	Head   Text
	Hint   string // what shows them on a terminal: "--long"; "": nothing is said
	Open   bool   // unfolded to begin with
	Blocks []Block
}

// A Source is lines of code, with what is said of them, or a difference of two texts.
type Source struct {
	Frame
	File     string
	Language string // of a fence in Markdown; "diff" for a difference
	Lines    []SourceLine
}

// A SourceLine is one line, and a note that stands below it.
type SourceLine struct {
	Number int  // 0: none
	Margin Text // before the number: what the line costs
	Text   string
	Mark   byte // '+', '-', ' ' of a difference, before Text; '>' of the line that is meant; 0: none
	Note   Text
}

// Marked reports whether a line is marked as the one that is meant.
func (s *Source) Marked() bool {
	return slices.ContainsFunc(s.Lines, func(l SourceLine) bool { return l.Mark == '>' })
}

// A Group is blocks that stand together below a head. One of nothing but items (sentences with
// Item) is a list: its frame's numbers are of items, and those that are left out are counted.
type Group struct {
	Frame
	Head   Text
	Level  int // of its heading, from 1; 0 is no heading of its own
	Blocks []Block
}

// Add appends blocks; nil ones are passed over.
func (g *Group) Add(blocks ...Block) { g.Blocks = appendBlocks(g.Blocks, blocks) }

// Add appends blocks; nil ones are passed over.
func (f *Fold) Add(blocks ...Block) { f.Blocks = appendBlocks(f.Blocks, blocks) }

// Items returns the sentences of a group that is a list; nil where it is none.
func (g *Group) Items() []*Sentence {
	var out []*Sentence
	for _, b := range g.Blocks {
		s, ok := b.(*Sentence)
		if !ok || !s.Item {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// KindOf returns how a column is set: of a table in which none is said to tell rows apart, the
// first one does.
func (t *Table) KindOf(column int) ColumnKind {
	kind := t.Columns[column].Kind
	if column > 0 || kind != Figure {
		return kind
	}
	for _, c := range t.Columns {
		if c.Kind == Key || c.Kind == Name {
			return kind
		}
	}
	return Key
}
