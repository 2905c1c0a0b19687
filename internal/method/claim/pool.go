package claim

import (
	"math"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// A Pool is what all comparisons of a run say together: about how its rounds depend on each
// other, and about how much its links differ. One of ten rounds and four links alone hardly
// knows. The zero Pool says nothing.
type Pool struct {
	rounds stat.Pool
	links  stat.Links
	pairs  map[[2]*series.Series]bool // that were added
}

func (p *Pool) add(set *series.Set, x Pair) {
	at := [2]*series.Series{x.Num, x.Den}
	if p.pairs[at] {
		return // a claim and a table ask for the same ratio
	}
	p.pairs[at] = true
	var d []float64
	var links []int
	set.Join(at[:], "sec/op", func(round int32, v []float64) {
		d, links = append(d, math.Log(v[0]/v[1])), append(links, linkOf(at[:], round))
	})
	p.rounds.Add(d)
	if distinct(links) > 1 {
		p.links.Add(d, links)
	}
}

// others returns what the links of other comparisons than one say, of its rounds and links.
func (p Pool) others(members []*series.Series, unit string, d []float64, links []int) stat.Links {
	if len(members) == 2 && unit == "sec/op" && p.pairs[[2]*series.Series(members)] && distinct(links) > 1 {
		return p.links.Without(d, links)
	}
	return p.links
}

// distinct counts the links; 0 when one is not known.
func distinct(links []int) int {
	seen := map[int]bool{}
	for _, l := range links {
		if l < 0 {
			return 0
		}
		seen[l] = true
	}
	return len(seen)
}

// linkOf numbers the links that the members ran in a round; −1 where one is not known. The
// members of one comparison draw their links together, so that the number of one tells
// those of the others, but for a second copy.
func linkOf(members []*series.Series, round int32) int {
	number := 0
	for _, m := range members {
		l, ok := m.Link(round)
		if !ok {
			return -1
		}
		number = number*1024 + l
	}
	return number
}
