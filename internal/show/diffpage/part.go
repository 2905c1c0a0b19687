package diffpage

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"memcost/internal/show/difftext"
	"memcost/internal/sites/diff"
)

func (m *maker) part() (part, []dataSite) {
	d := m.d
	p := part{Anchor: m.prefix + "part", Heading: difftext.Heading(*d), Old: d.Old.Name, New: d.New.Name,
		Notes: d.Notes, Asides: difftext.Asides(*d)[len(d.Notes):]}
	if len(d.Says) > 0 {
		p.Answer, p.Further = d.Says[0], d.Says[1:]
	}
	p.Static = !slices.ContainsFunc(d.Benchmarks, func(b diff.Benchmark) bool { return b.Only == "" })
	sites := m.sites(&p)
	m.benches(&p)
	m.pictures(&p)
	for _, s := range []diff.Side{d.Old, d.New} {
		p.Facts = append(p.Facts, fact{s.Name, sideWords(s)})
	}
	return p, sites
}

// sideWords says what a side is of.
func sideWords(s diff.Side) string {
	var words []string
	if at := strings.TrimSpace(s.Go + " " + s.Platform); at != "" {
		words = append(words, at)
	}
	if s.Revision != "" {
		words = append(words, "revision "+s.Revision)
	}
	switch s.Mode {
	case "static":
		return strings.Join(append(words, "the compiler and the binary; nothing was run"), ", ")
	case "":
	default:
		words = append(words, "from "+s.Mode)
	}
	if s.Exact {
		words = append(words, "every object counted where it was made")
	}
	return strings.Join(words, ", ")
}

// benches fills in the table of the benchmarks of both sides.
func (m *maker) benches(p *part) {
	for i, b := range m.d.Benchmarks {
		if b.Only != "" {
			continue
		}
		x := bench{m.bench(i), pair(b.Objects, "allocs/op"), pair(b.Bytes, "B/op"), "not measured"}
		switch {
		case b.Time.Changed:
			x.Time = interval(b.Time.Old, "sec/op") + " → " + interval(b.Time.New, "sec/op")
		case b.Time.Old.Runs > 0 && b.Time.New.Runs > 0:
			x.Time = interval(b.Time.New, "sec/op")
		}
		if len(p.Benches) < benchesOpen {
			p.Benches = append(p.Benches, x)
		} else {
			p.BenchesMore = append(p.BenchesMore, x)
		}
	}
}

// pictures draws the benchmarks that changed, the one first that changed most.
func (m *maker) pictures(p *part) {
	ratio := func(x diff.Pair) float64 { return math.Abs(x.Delta()) / max(x.Old, x.New, 1e-9) }
	var which []int
	for i, b := range m.d.Benchmarks {
		if b.Only == "" && (b.Objects.Changed || b.Bytes.Changed) {
			which = append(which, i)
		}
	}
	slices.SortStableFunc(which, func(i, j int) int {
		a, b := m.d.Benchmarks[i], m.d.Benchmarks[j]
		return cmp.Or(cmp.Compare(ratio(b.Objects), ratio(a.Objects)), cmp.Compare(ratio(b.Bytes), ratio(a.Bytes)))
	})
	for _, i := range which {
		x := m.picture(i, p.Rows)
		switch {
		case len(x.Measures) == 0:
		case len(p.Pictures) == drawnMost:
			p.PicturesMore = fmt.Sprintf("Only the %d benchmarks that changed most are drawn.", drawnMost)
		default:
			p.Pictures = append(p.Pictures, x)
		}
	}
}
