package methods

// A Pair is what one round of a comparison gave: seconds per operation of both sides.
type Pair struct {
	Base float64 `json:"base"`
	Cand float64 `json:"cand"`
}

// A Recording holds the rounds of one session of sampling.
type Recording struct {
	Rate  int                `json:"rate"`  // percent that the candidate does more, by construction
	Span  float64            `json:"span"`  // seconds for which samples were taken
	Ends  []float64          `json:"ends"`  // of each round: seconds from the start until it was complete
	Pairs map[string][]*Pair `json:"pairs"` // by kind of benchmark and round; nil where a side has no figure
}

// A Block is a part of a recording: rounds First to Last-1, and where its clock starts.
type Block struct {
	First, Last int
	Start       float64 // seconds
}

// Blocks returns the blocks of so many seconds that fit into a recording and share no
// round. Each starts where the last round of the one before it ended; what does not fill
// so many seconds is left over.
func (r *Recording) Blocks(seconds float64) []Block {
	var out []Block
	b := Block{}
	for b.Start+seconds <= r.Span {
		for b.Last = b.First; b.Last < len(r.Ends) && r.Ends[b.Last] <= b.Start+seconds; {
			b.Last++
		}
		out = append(out, b)
		next := Block{First: b.Last, Start: b.Start + seconds}
		if b.Last > b.First {
			next.Start = r.Ends[b.Last-1]
		}
		b = next
	}
	return out
}

// Of returns the pairs of a kind in a block, without rounds that lack a figure.
func (r *Recording) Of(kind string, b Block) (base, cand []float64) {
	all := r.Pairs[kind]
	for i := b.First; i < min(b.Last, len(all)); i++ {
		if p := all[i]; p != nil {
			base, cand = append(base, p.Base), append(cand, p.Cand)
		}
	}
	return base, cand
}

// A Look is what memcost says of one kind after the rounds of a block up to Last.
type Look struct {
	Kind     string
	First    int
	Last     int
	Changed  int     // 1 slower, −1 faster by more than its margin; 0 not called changed
	Differs  int     // the same for an interval that excludes 1
	Lo, Hi   float64 // of the ratio; 0 and +Inf where there is none, Lo > Hi where it excludes every value
	Interval bool    // it gives an interval that is bounded somewhere
}

// LooksAt returns the numbers of rounds after which a recording is looked at, from the
// start of each block: every number up to 24, then in steps of a twentieth, and the last
// of each block. A later look can only add to what was decided.
func LooksAt(r *Recording, seconds []float64) map[int][]int {
	most, ends := map[int]int{}, map[int]map[int]bool{}
	for _, t := range seconds {
		for _, b := range r.Blocks(t) {
			if ends[b.First] == nil {
				ends[b.First] = map[int]bool{}
			}
			ends[b.First][b.Last] = true
			most[b.First] = max(most[b.First], b.Last)
		}
	}
	out := map[int][]int{}
	for first, last := range most {
		next := first + 1
		for at := first + 1; at <= last; at++ {
			if at >= next || ends[first][at] {
				out[first] = append(out[first], at)
				next = at + 1 + max(0, at-first-4)/20
			}
		}
	}
	return out
}
