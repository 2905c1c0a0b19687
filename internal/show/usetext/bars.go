package usetext

import (
	"fmt"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/malloc/mallocprofile"
)

// A span is a range of sizes or lifetimes, and what is in it.
type span struct {
	from, to uint64 // to is 0 for what was never freed
	weight   float64
}

func powerBelow(n uint64) uint64 {
	p := uint64(1)
	for p*2 <= n {
		p *= 2
	}
	return p
}

// add adds a span to those that there are.
func add(rows []span, s span) []span {
	for i := range rows {
		if rows[i].from == s.from {
			rows[i].weight += s.weight
			return rows
		}
	}
	return append(rows, s)
}

// little is the share below which neighbours are one row.
const little = 0.005

// joined joins the two neighbours that hold least, until there are no more than so many rows, and
// further while the two hold little.
func joined(rows []span, most int) []span {
	all := 0.0
	for _, r := range rows {
		all += r.weight
	}
	for len(rows) > 1 {
		least := 0
		for i := range len(rows) - 1 {
			if rows[i].weight+rows[i+1].weight < rows[least].weight+rows[least+1].weight {
				least = i
			}
		}
		if len(rows) <= most && rows[least].weight+rows[least+1].weight > little*all {
			break
		}
		rows[least].to = rows[least+1].to
		rows[least].weight += rows[least+1].weight
		rows = append(rows[:least+1], rows[least+2:]...)
	}
	return rows
}

func bars(rows []span, label func(span) string) []bar {
	sum := 0.0
	for _, r := range rows {
		sum += r.weight
	}
	var out []bar
	for _, r := range rows {
		if sum > 0 {
			out = append(out, bar{label(r), r.weight / sum})
		}
	}
	return out
}

// A bar is a row of a picture.
type bar struct {
	label string
	share float64
}

// sizeBars are the blocks by powers of two of their sizes, neighbours joined until there are no
// more than so many rows.
func sizeBars(p *mallocprofile.Profile, most int) []bar {
	var rows []span
	for _, s := range p.Sizes {
		from := powerBelow(s.From)
		rows = add(rows, span{from, from * 2, float64(s.Calls)})
	}
	return bars(joined(rows, most), func(s span) string { return units.Bytes(s.from) })
}

// ageBars are the lifetimes of all blocks likewise, with what was never freed last.
func ageBars(p *mallocprofile.Profile, most int) []bar {
	var rows []span
	living := 0.0
	for i := range p.Groups {
		living += p.Groups[i].Living.Value
		for _, a := range p.Groups[i].Ages {
			rows = add(rows, span{a.From, a.To, a.Blocks.Value})
		}
	}
	slices.SortFunc(rows, func(a, b span) int { return int(int64(a.from) - int64(b.from)) })
	rows = append(joined(rows, most-1), span{weight: living})
	return bars(rows, func(s span) string {
		if s.to == 0 {
			return "never freed"
		}
		return number(s.from)
	})
}

// number formats a count briefly: "512", "16 k", "2 M".
func number(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%d G", n>>30)
	case n >= 1<<20:
		return fmt.Sprintf("%d M", n>>20)
	case n >= 1<<13:
		return fmt.Sprintf("%d k", n>>10)
	}
	return fmt.Sprint(n)
}
