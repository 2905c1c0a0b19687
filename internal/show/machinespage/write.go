// Package machinespage renders what package acrossmachines computed as a part of the HTML page: every claim by machine,
// and a figure by the strength of the machines. It computes nothing but where things stand.
package machinespage

import (
	"embed"
	"fmt"
	"html/template"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/across"
)

//go:embed machines.html
var assets embed.FS

type view struct {
	Says    string
	Kinds   []kindView
	Studies []studyView
}

type kindView struct{ Letter, Name, Machines string }

type studyView struct {
	Name     string
	Open     bool // it has a claim about machines, or is the only one
	Rows     []rowView
	Pictures []picture
}

type rowView struct {
	ID, Prose, Says string
	Kinds           [][]boxView
}

type boxView struct{ Class, Mark, Says string }

// HTML returns the part of the page; nothing where there are not several machines.
func HTML(r *across.Report) (template.HTML, error) {
	if r == nil {
		return "", nil
	}
	t, err := template.ParseFS(assets, "machines.html")
	if err != nil {
		return "", fmt.Errorf("reading the template of the machines: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, newView(r)); err != nil {
		return "", fmt.Errorf("rendering the machines: %w", err)
	}
	return template.HTML(b.String()), nil
}

func newView(r *across.Report) view {
	v := view{Says: r.Says}
	var kinds [][]int
	letters := map[string]string{}
	for i, m := range r.Machines {
		if i == 0 || m.Kind != r.Machines[i-1].Kind {
			letters[m.Kind] = units.Letter(len(kinds))
			v.Kinds, kinds = append(v.Kinds, kindView{letters[m.Kind], m.Kind, m.Name}), append(kinds, []int{i})
			continue
		}
		last := len(kinds) - 1
		v.Kinds[last].Machines += ", " + m.Name
		kinds[last] = append(kinds[last], i)
	}
	for _, s := range r.Studies {
		out := studyView{Name: s.Name, Open: len(r.Studies) == 1}
		for _, c := range s.Claims {
			out.Rows = append(out.Rows, row(r, c, kinds))
			if c.Line != nil && len(c.Line.Points) > 1 {
				out.Open = true
				out.Pictures = append(out.Pictures, draw(c.ID+": "+c.Line.Title, c.Line, letters))
			}
		}
		if s.Cost != nil {
			out.Pictures = append(out.Pictures, draw(s.Cost.Title, s.Cost, letters))
		}
		v.Studies = append(v.Studies, out)
	}
	return v
}

func row(r *across.Report, c across.Claim, kinds [][]int) rowView {
	out := rowView{ID: c.ID, Prose: c.Prose, Says: c.Says}
	for _, of := range kinds {
		var boxes []boxView
		for _, i := range of {
			if x := c.Cells[i]; x.Status != "" {
				boxes = append(boxes, boxView{strings.ReplaceAll(x.Status, " ", "-"), mark(x.Status),
					r.Machines[i].Name + ": " + x.Says})
			}
		}
		out.Kinds = append(out.Kinds, boxes)
	}
	return out
}

// mark returns the form of a verdict, for readers who do not see its colour.
func mark(status string) string {
	switch status {
	case "holds":
		return "✓"
	case "fails":
		return "✗"
	case "undecided":
		return "?"
	case "not tested":
		return "·"
	}
	return "!"
}
