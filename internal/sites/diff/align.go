package diff

import "memcost/internal/sites"

// A couple is a site of either side that is the same; old or new is nil where there is none.
type couple struct {
	old, new *sites.Site
	probably string // why they are taken for the same although their identity differs
}

// mostAligned bounds the table of an alignment, in entries: of more sites that are alike, the
// first is paired with the first.
const mostAligned = 1 << 20

// align pairs sites that are alike, in the order in which they stand: as many pairs as there
// are sites on the smaller side, so that most pairs have the same source line. It is the
// alignment of two sequences by dynamic programming.
func align(old, new []*sites.Site) []couple {
	if len(old) == len(new) || (len(old)+1)*(len(new)+1) > mostAligned {
		return inOrder(old, new)
	}
	best := scores(old, new)
	var out []couple
	i, j := 0, 0
	for i < len(old) && j < len(new) {
		switch here := best[i][j]; here {
		case best[i+1][j+1] + likeness(old[i], new[j]):
			out = append(out, couple{old: old[i], new: new[j]})
			i, j = i+1, j+1
		case best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

func inOrder(old, new []*sites.Site) []couple {
	var out []couple
	for i := range min(len(old), len(new)) {
		out = append(out, couple{old: old[i], new: new[i]})
	}
	return out
}

// scores returns the best sum of likenesses of what remains from each pair of indexes on.
func scores(old, new []*sites.Site) [][]int {
	best := make([][]int, len(old)+1)
	for i := range best {
		best[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+likeness(old[i], new[j]))
		}
	}
	return best
}

// likeness is larger the more two sites with the same identity have in common. Any pair is
// better than none.
func likeness(a, b *sites.Site) int {
	n := 100
	if a.Text == b.Text {
		n += 4
	}
	if len(a.Costs) > 0 == (len(b.Costs) > 0) {
		n += 2
	}
	if a.Line == b.Line {
		n++
	}
	return n
}
