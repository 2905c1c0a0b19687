package answer

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// lines fills a card's part of the matrix: a column for each claim; rows for here, for further
// configurations, other runs and published figures.
func (x *computing) lines(card *Study, s subject) {
	for _, c := range s.Claims {
		card.Claims = append(card.Claims, Claim{ID: c.ID, Prose: c.Says(), Own: c.Own})
	}
	if len(card.Claims) == 0 {
		return
	}
	var published []Line
	for run := s.run; run < len(x.answers); run++ {
		for i := range x.answers[run].Studies {
			o := &x.answers[run].Studies[i]
			if o.Name != s.Name {
				continue
			}
			all := dataOf(o)
			alone := len(slices.DeleteFunc(slices.Clone(all), func(d dataSet) bool { return d.published })) == 1
			for _, data := range all {
				l := Line{Name: x.lineName(run, data.name, s, alone), Published: data.published,
					Cells: cells(card.Claims, o, data)}
				if !data.published {
					card.Lines = append(card.Lines, l)
				} else if !slices.ContainsFunc(published, func(p Line) bool { return p.Name == l.Name }) {
					published = append(published, l)
				}
			}
		}
	}
	card.Lines = append(card.Lines, published...)
}

// lineName names a row: "here", a configuration, another run, or who published it; a
// configuration that is alone in its run is the run.
func (x *computing) lineName(run int, data string, s subject, alone bool) string {
	switch {
	case run == 0 && data == s.side:
		return "here"
	case !slices.ContainsFunc(x.answers[run].Sides, func(a plan.Side) bool { return a.Name == data }):
		return figures.ShortName(data)
	case run == 0:
		return data
	case alone:
		return x.names[run]
	}
	return x.names[run] + " · " + data
}

// A dataSet is a configuration, or what someone published.
type dataSet struct {
	name      string
	published bool
}

// dataOf returns the data sets that a study's claims are judged on.
func dataOf(s *result.Study) []dataSet {
	var out []dataSet
	for _, c := range s.Claims {
		for _, v := range c.Verdicts {
			if d := (dataSet{v.Data, v.Published}); !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

func cells(columns []Claim, s *result.Study, data dataSet) []Cell {
	out := make([]Cell, len(columns))
	for i, column := range columns {
		out[i] = Cell{Status: claim.Untested, Says: string(claim.Untested)}
		c := judged(s, column.ID)
		if c == nil {
			continue
		}
		for j := range c.Verdicts {
			if v := &c.Verdicts[j]; v.Data == data.name && v.Published == data.published {
				out[i] = Cell{Status: v.Status, Says: says(v)}
				if v.Status == claim.Untested && broken(v) {
					out[i].Status = claim.Invalid
				}
			}
		}
	}
	return out
}

// says returns a verdict in words; of a claim that was not tested, why.
func says(v *result.Verdict) string {
	if v.Status == claim.Untested && v.Why == claim.NotedWhy && len(v.Notes) > 0 {
		return string(v.Status) + ": " + v.Notes[0]
	}
	return v.Short()
}

// failing lists the conclusions that their authors' figures bear out, and that fail here.
func (x *computing) failing() []Failing {
	var out []Failing
	for _, s := range x.subjects {
		for i := range s.Claims {
			c := &s.Claims[i]
			here := verdict(c)
			at := slices.IndexFunc(c.Verdicts, func(v result.Verdict) bool {
				return v.Published && v.Status == claim.Holds
			})
			if s.run != 0 || at < 0 || here == nil || here.Status != claim.Fails {
				continue
			}
			if theirs := samePlace(&c.Verdicts[at], here.Deciding); theirs != nil {
				out = append(out, Failing{Study: s.Name, Claim: c.ID, Prose: c.Says(), Published: briefly(theirs),
					Here: briefly(here)})
			}
		}
	}
	return out
}

// samePlace returns a published verdict by its figure where the claim is decided here: what someone
// published of another size, or of another number of values, is not tested here. nil where there is none.
func samePlace(theirs *result.Verdict, here *result.Element) *result.Verdict {
	if here == nil {
		return theirs
	}
	for i := range theirs.Elements {
		if e := &theirs.Elements[i]; e.Label == here.Label && e.Figure.Known() {
			out := *theirs
			out.Deciding = e
			return &out
		}
	}
	return nil
}

// briefly returns the figure that decides a verdict as sentences do, with two digits: "0.56×
// [0.50, 0.63] at n 10000".
func briefly(v *result.Verdict) string {
	d := v.Deciding
	if d == nil || !d.Figure.Known() || strings.HasPrefix(d.Label, claim.Exponent) ||
		strings.HasPrefix(d.Label, "against ") {
		return v.Decided()
	}
	f := figure(d.Figure)
	if d.Figure.Unit == "" {
		f[0].Text += "×"
	}
	say := f.String()
	if at := figures.Place(d.Label); at != "" {
		say += " at " + at
	}
	return say
}

// fullOnly says how many claims only the full profile tests.
func fullOnly(s subject) string {
	n := leftToFull(s)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("not measured in the quick profile: %s; memcost run %s --full measures their cases",
		units.Plural(n, "claim"), s.Name)
}

// leftToFull counts the claims that the quick profile does not test.
func leftToFull(s subject) int {
	n := 0
	for i := range s.Claims {
		v := verdict(&s.Claims[i])
		if v != nil && v.Status == claim.Untested && strings.Contains(v.Why, "--full") {
			n++
		}
	}
	return n
}
