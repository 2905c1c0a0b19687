package whypage

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/show/page"
	"memcost/internal/show/whytext"
	"memcost/internal/sites"
)

// details renders what each row opens to. They are rendered one by one, so that a page of many
// sites stays small: when it is full, a site has its ID alone.
func (m *maker) details(t *template.Template, v *view, sites []*sites.Site) error {
	room := allBytes - rowBytes*len(sites)
	for i, s := range sites {
		d := m.detail(s)
		name := "detail"
		if room < 0 {
			name = "brief"
			d.Full = true
		}
		page.Clean(&d)
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, name, d); err != nil {
			return fmt.Errorf("rendering the page: site %s: %w", s.ID, err)
		}
		room -= b.Len()
		v.Rows[i].Detail = template.HTML(b.String())
	}
	return nil
}

func (m *maker) detail(s *sites.Site) detail {
	d := detail{ID: s.ID, Position: m.cells.Position(s), Package: s.Package, Generated: s.Generated, Says: s.Says,
		Named: s.Named, Expr: s.Expr, Calls: s.Calls, Context: m.context(s), Fix: m.cells.Fix(s), Gain: m.cells.Gain(s),
		Per: m.cells.Per(), Ran: m.cells.Ran()}
	for i, says := range s.Flow {
		x := step{Says: says}
		if i < len(s.FlowAt) && s.FlowAt[i].File != "" {
			if x.Place = place(s.FlowAt[i].File, s.FlowAt[i].Line); strings.Contains(says, place(
				path.Base(s.FlowAt[i].File), s.FlowAt[i].Line)) {
				x.Place = "" // it is said
			}
		}
		d.Steps = append(d.Steps, x)
	}
	if len(s.Chain) > 1 {
		for _, f := range s.Chain {
			d.Chain = append(d.Chain, step{whytext.Short(f.Function), place(f.File, f.Line)})
		}
	}
	if s.Price != nil && m.cells.Measured(*s.Price) {
		d.Price = m.cells.Seconds(*s.Price)
	}
	m.costs(&d, s)
	m.leaves(&d, s)
	if s.Edit != nil {
		d.Edit = m.edit(s.Edit)
	}
	return d
}

func (m *maker) costs(d *detail, s *sites.Site) {
	for i, c := range s.Costs {
		if i == costsMost {
			d.MoreCosts = len(s.Costs) - i
			break
		}
		x := costRow{Name: m.cells.Bench(c.Benchmark), Malloc: m.cells.Share(c.Malloc), Assist: m.cells.Share(c.Assist),
			GC: m.cells.Share(c.GC)}
		x.Objects, x.Bytes, x.CPU = m.cells.Figures(c)
		d.Costs, d.Estimated = append(d.Costs, x), d.Estimated || c.Estimated
	}
	for _, c := range s.Sizes {
		share := min(max(c.Objects, 0), 1)
		d.Sizes = append(d.Sizes, sizeBar{units.Bytes(c.Bytes), units.Percent(c.Objects),
			fmt.Sprintf("%.1f", 100*share)})
	}
}

func (m *maker) leaves(d *detail, s *sites.Site) {
	inside := s.Inside
	if len(inside) == 0 && s.Callee != nil {
		inside = []sites.Callee{*s.Callee}
	}
	for i := range inside {
		if i == leavesMost {
			d.MoreLeaves = len(inside) - i
			break
		}
		c := inside[i]
		c.Function, c.Via = whytext.Short(c.Function), whytext.Short(c.Via)
		x := leaf{units.Percent(c.Objects), units.Percent(c.Bytes), c.Function, place(c.File, c.Line),
			m.cells.Called(&c), string(c.Class), m.cells.CauseOf(c.Cause), c.Says, c.Flow}
		if i < leavesOpen {
			d.Leaves = append(d.Leaves, x)
		} else {
			d.Smaller = append(d.Smaller, x)
		}
	}
}

// context returns the source around a site, or its own line alone.
func (m *maker) context(s *sites.Site) []sourceLine {
	lines := m.source(s.Path)
	if s.Line < 1 || s.Line > len(lines) {
		if s.Text == "" {
			return nil
		}
		return []sourceLine{{s.Line, whytext.Code(s.Text), true}}
	}
	var out []sourceLine
	for n := max(s.Line-contextLines, 1); n <= min(s.Line+contextLines, len(lines)); n++ {
		out = append(out, sourceLine{n, whytext.Code(lines[n-1]), n == s.Line})
	}
	return out
}

// source returns the lines of a file, nil where it cannot be read. A file is read once.
func (m *maker) source(path string) []string {
	if m.o.Read == nil || path == "" {
		return nil
	}
	if lines, ok := m.files[path]; ok {
		return lines
	}
	var lines []string
	if text, err := m.o.Read(path); err == nil {
		lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	m.files[path] = lines
	return lines
}

// edit returns a proposed change. Tabs stay: the diff is to be copied.
func (m *maker) edit(e *sites.Edit) *edit {
	out := &edit{Title: e.Title, Check: whytext.Sentence(e.Check)}
	for line := range strings.SplitSeq(strings.TrimSuffix(e.Diff, "\n"), "\n") {
		class := ""
		switch {
		case strings.HasPrefix(line, "+"):
			class = "plus"
		case strings.HasPrefix(line, "-"):
			class = "minus"
		case strings.HasPrefix(line, "@"):
			class = "hunk"
		}
		out.Lines = append(out.Lines, diffLine{class, kept(whytext.Diff(line))})
	}
	return out
}
