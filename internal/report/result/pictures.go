package result

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// pictures draws a study: as its author says; else its tables; else its cases.
func pictures(st *language.Study, s *Study, judged, published []*claim.Judged) []figures.Picture {
	var out []figures.Picture
	for _, p := range wanted(st) {
		x := figures.Picture{Kind: p.Kind, Title: p.Title, By: p.By, Roofline: -1, Bounds: bounds(st, p.Against)}
		for i, c := range p.Columns {
			x.Columns = append(x.Columns, c.Header)
			if !c.Den.IsZero() {
				x.Sides = append(x.Sides, sidesOf(st, c.Num, c.Den, c.Unit))
			}
			if c.Header == p.Roofline {
				x.Roofline = i
			}
		}
		for _, j := range slices.Concat(judged, published) {
			if t := tableOf(p.Table, j.Data); len(t.Rows) > 0 {
				x.Sets = append(x.Sets, figures.PictureSet{Data: j.Name, Published: j.Published, Rows: t.Rows,
					Notes: t.Notes})
			}
		}
		addCPU(&x, p.Table, judged)
		x.Busy = slices.ContainsFunc(judged, func(j *claim.Judged) bool { return j.Busy })
		if p.Kind == language.Curve && !x.Numeric() {
			x.Kind = language.Dots
		}
		if len(x.Sets) > 0 && x.HasFigures() {
			out = append(out, x)
		}
	}
	if len(st.Tables) == 0 && len(st.Pictures) == 0 {
		out = append(out, casePictures(s.Cases)...)
	}
	if len(judged) > 1 {
		if p, ok := sidePicture(s.Cases, judged[0].Name); ok {
			out = slices.Insert(out, 0, p)
		}
	}
	// Those that show a claim or the roofline answer the study's question, and
	// those of sides what the run was made for: they come first.
	slices.SortStableFunc(out, func(a, b figures.Picture) int { return b.Lead() - a.Lead() })
	return out
}

// wanted returns the pictures of a study; where it has none, those that its tables
// suggest: ratios as a forest plot, costs and throughputs as a curve.
func wanted(st *language.Study) []language.Picture {
	if len(st.Pictures) > 0 {
		return st.Pictures
	}
	var out []language.Picture
	for _, t := range st.Tables {
		curve := language.Picture{Kind: language.Curve, Table: language.Table{Title: t.Title, By: t.By}}
		forest := language.Picture{Kind: language.Forest, Table: language.Table{Title: t.Title, By: t.By}}
		for _, c := range t.Columns {
			switch {
			case !c.Den.IsZero():
				forest.Columns = append(forest.Columns, c)
			case c.Unit == "sec/op" && len(curve.Columns) < maxColumns:
				curve.Columns = append(curve.Columns, c)
			}
		}
		for _, p := range []language.Picture{curve, forest} {
			if len(p.Columns) > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// bounds returns what the named claims allow, as far as that is the same everywhere.
func bounds(st *language.Study, ids []string) []figures.Bound {
	var out []figures.Bound
	for _, id := range ids {
		for _, c := range st.Claims {
			if c.ID != id {
				continue
			}
			lo, hi, _, _, err := c.Cond.Range(func(string) (string, bool) { return "", false })
			if err == nil {
				out = append(out, figures.Bound{Claim: id, Lo: lo, Hi: hi})
			}
		}
	}
	return out
}

// maxColumns is how many curves one can tell apart.
const maxColumns = 12

// casePictures draws cases of which nothing is known but their names: against
// the key with most numbers as values, if there is one, the rest of the name
// telling the curves apart; else one line for each case.
func casePictures(cases []Case) []figures.Picture {
	if len(cases) == 0 {
		return nil
	}
	key := axisKey(cases)
	p := figures.Picture{Kind: language.Dots, Title: "cases", By: "case", Roofline: -1, Columns: []string{"time"}}
	if key != "" {
		p.Kind, p.Title, p.By, p.Columns = language.Curve, "cost by "+key, key, nil
	}
	column, drop := map[string]int{}, map[string]bool{}
	drawn, left := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		if math.IsNaN(float64(c.Time.Value)) {
			continue
		}
		label, rest := c.Name, ""
		if key != "" {
			if label, rest = split(c.Name, key); label == "" {
				continue // it has no such key; its table is on the page
			}
		}
		if key == "" && !drawn[label] {
			if len(drawn) == figures.MaxForest {
				left[label] = true
				continue
			}
			drawn[label] = true
		}
		col, known := column[rest]
		if !known {
			if col = len(column); col >= maxColumns {
				drop[rest] = true
				continue
			}
			column[rest] = col
			if key != "" {
				p.Columns = append(p.Columns, rest)
			}
		}
		addCase(&p, c, label, col)
	}
	p.LeftOut = len(drop)
	if len(left) > 0 && len(p.Sets) > 0 {
		p.Sets[0].Notes = []string{fmt.Sprintf("%s more cases are in the table of all cases",
			units.Thousands(len(left)))}
	}
	for i := range p.Sets {
		figures.Fill(p.Sets[i].Rows, len(p.Columns))
		if key != "" {
			slices.SortStableFunc(p.Sets[i].Rows, func(a, b figures.Row) int {
				return figures.CompareLabels(a.Label, b.Label)
			})
		}
	}
	if len(p.Sets) == 0 {
		return nil
	}
	return []figures.Picture{p}
}

func addCase(p *figures.Picture, c Case, label string, col int) {
	at := slices.IndexFunc(p.Sets, func(s figures.PictureSet) bool { return s.Data == c.Side })
	if at < 0 {
		at = len(p.Sets)
		p.Sets = append(p.Sets, figures.PictureSet{Data: c.Side})
	}
	f := c.Time
	if len(c.Invalid) > 0 {
		f = figures.NoFigure()
		f.Note = claim.InvalidNote
	}
	p.Sets[at].Rows = figures.Put(p.Sets[at].Rows, label, col, f)
}

// axisKey returns the key of the names with most different numbers as values, three
// at least; the first of those that have as many.
func axisKey(cases []Case) string {
	var keys []string
	values := map[string]map[string]bool{}
	for _, c := range cases {
		for _, part := range strings.Split(c.Name, "/")[1:] {
			key, value, ok := strings.Cut(part, "=")
			if !ok {
				continue
			}
			if values[key] == nil {
				values[key] = map[string]bool{}
				keys = append(keys, key)
			}
			values[key][figures.TrimProcs(value)] = true
		}
	}
	best, most := "", 2
	for _, k := range keys {
		numbers := 0
		for v := range values[k] {
			if x, err := strconv.ParseFloat(v, 64); err == nil && x > 0 && !math.IsInf(x, 0) {
				numbers++
			}
		}
		if numbers == len(values[k]) && numbers > most {
			best, most = k, numbers
		}
	}
	return best
}

// split takes the value of a key out of a case's name.
func split(name, key string) (value, rest string) {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if v, ok := strings.CutPrefix(part, key+"="); ok && i > 0 {
			value = figures.TrimProcs(v)
			suffix := v[len(value):]
			return value, strings.Join(slices.Concat(parts[:i], parts[i+1:]), "/") + suffix
		}
	}
	return "", ""
}
