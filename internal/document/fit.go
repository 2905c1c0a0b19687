package document

import (
	"cmp"
	"container/heap"
	"slices"
)

// A Piece is a block while room is shared out among all that are shown: a renderer says what its
// rows take (lines of a terminal, characters of Markdown), and Fit says which of them are shown.
type Piece struct {
	*Frame
	Around int        // what stands above and below the rows takes
	Rows   []Room     // what each row takes
	Ranks  []int      // of the rows; nil: those at the end are left out first
	More   int        // what the word on rows that are left out takes
	Within []*Heading // from the outermost

	Shown int   // rows that are shown
	order []int // the rows, those that stay longest first
	full  []int // what the first rows of order take at length
	short []int
	index int
}

// A Room is what a row takes, said at length and shortly.
type Room struct{ Full, Short int }

// A Heading stands above pieces as long as one of them is shown.
type Heading struct {
	Room int
	Gap  int // of the empty line before it
	n    int // pieces that are shown
}

// A Fitting is what is shown.
type Fitting struct {
	Pieces []*Piece
	Full   bool // rows are shown at length
	Gaps   int  // empty lines of a higher number are left out

	gap int // what an empty line takes
	sum int // what all pieces take without empty lines
}

// mostGaps is more than the highest number of an empty line.
const mostGaps = 9

// Fit leaves out what does not fit, in the order of Frame. An empty line takes gap; most is the
// room there is, 0 without limit.
func Fit(pieces []*Piece, gap, most int) *Fitting {
	f := &Fitting{Pieces: pieces, Full: true, Gaps: mostGaps, gap: gap}
	for i, p := range pieces {
		p.index, p.Shown = i, len(p.Rows)
		p.measure()
		if most > 0 { // more rows than this fit nowhere
			p.Shown, _ = slices.BinarySearch(p.short[1:], most+1)
		}
	}
	f.count()
	if most <= 0 || f.height() <= most {
		return f
	}
	f.Full = false
	f.count()
	f.reduce(most, (*Piece).good)
	for f.height() > most && f.Gaps > 0 {
		f.Gaps--
	}
	f.reduce(most, (*Piece).least)
	f.reduce(most, func(*Piece) int { return 0 })
	return f
}

// measure sums up what the rows take.
func (p *Piece) measure() {
	p.order = make([]int, len(p.Rows))
	for i := range p.order {
		p.order[i] = i
	}
	if p.Ranks != nil {
		slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(p.Ranks[a], p.Ranks[b]) })
	}
	p.full, p.short = make([]int, len(p.Rows)+1), make([]int, len(p.Rows)+1)
	for i, at := range p.order {
		p.full[i+1] = p.full[i] + p.Rows[at].Full
		p.short[i+1] = p.short[i] + p.Rows[at].Short
	}
}

// Kept returns the rows that are shown, in the order in which they stand.
func (p *Piece) Kept() []int {
	out := slices.Clone(p.order[:p.Shown])
	slices.Sort(out)
	return out
}

// Left returns how many rows are left out.
func (p *Piece) Left() int { return len(p.Rows) - p.Shown }

// Gone reports whether nothing of the piece is shown.
func (p *Piece) Gone() bool { return p.Shown == 0 && (len(p.Rows) > 0 || p.Around == 0) }

// good returns how many rows stay until other pieces are down to theirs.
func (p *Piece) good() int {
	switch {
	case p.Good == 0:
		return len(p.Rows)
	case p.Good < 0:
		return 0
	}
	return p.Good
}

// least returns how many rows stay until nothing but blocks as a whole can be left out.
func (p *Piece) least() int {
	if len(p.Rows) == 1 && p.Good >= 0 && p.Least >= 0 {
		return 1
	}
	return max(p.Least, 0)
}

// room returns what the piece takes.
func (p *Piece) room(full bool) int {
	if p.Gone() {
		return 0
	}
	n := p.Around + p.short[p.Shown]
	if full {
		n = p.Around + p.full[p.Shown]
	}
	if p.Left() > 0 {
		n += p.More
	}
	return n
}

// count adds up what all pieces take.
func (f *Fitting) count() {
	f.sum = 0
	for _, p := range f.Pieces {
		for _, h := range p.Within {
			h.n = 0
		}
	}
	for _, p := range f.Pieces {
		f.add(p, 1)
	}
}

// add adds what a piece takes, with the headings above it, or takes it away.
func (f *Fitting) add(p *Piece, sign int) {
	if p.Gone() {
		return
	}
	f.sum += sign * p.room(f.Full)
	for _, h := range p.Within {
		if h.n == 0 || h.n == 1 && sign < 0 {
			f.sum += sign * h.Room
		}
		h.n += sign
	}
}

func (f *Fitting) set(p *Piece, shown int) {
	f.add(p, -1)
	p.Shown = shown
	f.add(p, 1)
}

// height returns what everything takes, with the empty lines.
func (f *Fitting) height() int {
	n := f.sum
	if f.gap > 0 {
		f.Each(func(_ *Piece, _ []*Heading, spaced bool) {
			if spaced {
				n += f.gap
			}
		})
	}
	return n
}

// Each calls what for the pieces that are shown: with the headings that begin with it, and
// whether an empty line stands before it.
func (f *Fitting) Each(what func(p *Piece, begins []*Heading, spaced bool)) {
	var open []*Heading
	first := true
	for _, p := range f.Pieces {
		if p.Gone() {
			continue
		}
		same := 0
		for same < min(len(open), len(p.Within)) && open[same] == p.Within[same] {
			same++
		}
		gap := p.Gap
		if same < len(p.Within) {
			gap = p.Within[same].Gap
		}
		open = p.Within
		what(p, p.Within[same:], !first && gap > 0 && gap <= f.Gaps)
		first = false
	}
}

// reduce leaves rows out until all fits, but none of those that floor protects: of the longest
// piece of the highest rank first.
func (f *Fitting) reduce(most int, floor func(*Piece) int) {
	var q queue
	for _, p := range f.Pieces {
		if p.Shown > floor(p) {
			q = append(q, p)
		}
	}
	heap.Init(&q)
	for len(q) > 0 && f.height() > most {
		p := q[0]
		n := p.Shown - 1
		if p.More > 0 && n == len(p.Rows)-1 && n > floor(p) {
			n-- // the line that says so takes the place of one
		}
		f.set(p, n)
		if n > floor(p) {
			heap.Fix(&q, 0)
		} else {
			heap.Pop(&q)
		}
	}
}

// A queue is pieces by how soon they give way.
type queue []*Piece

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(b.Shown, a.Shown), cmp.Compare(a.index, b.index)) < 0
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*Piece)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
