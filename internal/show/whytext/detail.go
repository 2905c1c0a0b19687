package whytext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/units"
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

// all returns everything that is known of the sites that are asked for.
func (v *detail) all() ([]string, error) {
	found, err := Find(v.r, v.o.Site)
	if err != nil {
		return nil, err
	}
	var all [][]string
	for _, s := range found {
		all = append(all, v.site(s))
	}
	return sections(all...), nil
}

// site returns everything that is known of a site.
func (v *detail) site(s *sites.Site) []string {
	return sections(v.title(s), v.context(s), v.compiler(s), v.binary(s), v.costs(s), v.leaves(s), v.remedy(s),
		v.edit(s))
}

// title names the site, and says its class, cause and identity.
func (v *detail) title(s *sites.Site) []string {
	rank := ""
	if s.Rank > 0 {
		rank = strconv.Itoa(s.Rank) + " "
	}
	return append(v.named(rank+v.name(s), position(s), false), v.lines(func(p *text.Printer) {
		p.Line(0, 0, "", sentence(v.class(s)+": "+cause(s)))
		if s.Generated {
			p.Line(0, 0, "", "The file says that it is generated: the fix belongs into the generator.")
		}
		id := "ID " + s.ID
		if s.Package != "" {
			id += ", package " + s.Package
		}
		p.Line(0, 0, "", id)
	})...)
}

// position returns where a site is, with its column where that is known.
func position(s *sites.Site) string {
	if s.Col > 0 {
		return at(s.File, s.Line) + ":" + strconv.Itoa(s.Col)
	}
	return at(s.File, s.Line)
}

// compiler returns what the compiler says, and how the value reaches the heap.
func (v *detail) compiler(s *sites.Site) []string {
	var out []string
	switch {
	case s.Says != "":
		out = v.says(0, "compiler: "+s.Says)
	case s.Named != "":
		out = v.says(0, "compiler: no diagnostic: "+s.Named)
	default:
		out = v.says(0, "compiler: no diagnostic")
	}
	if s.Expr != "" {
		out = append(out, v.says(0, "expression: "+s.Expr)...)
	}
	return append(out, v.flow(s.Flow)...)
}

// flow returns the steps by which a value reaches the heap.
func (v *detail) flow(steps []string) []string {
	var out []string
	for i, step := range steps {
		out = append(out, v.says(2, fmt.Sprintf("%d. %s", i+1, step))...)
	}
	return out
}

// binary returns the calls in the binary and the inline chain.
func (v *detail) binary(s *sites.Site) []string {
	var out []string
	if len(s.Calls) > 0 {
		out = v.says(0, "calls in the binary: "+strings.Join(s.Calls, ", "))
	} else {
		out = v.says(0, "calls in the binary: none")
	}
	if len(s.Chain) > 1 {
		out = append(out, v.says(0, "inlined, innermost first:")...)
	}
	for _, f := range s.Chain {
		out = append(out, v.says(2, f.Function+" "+at(f.File, f.Line))...)
	}
	return out
}

// costs returns what the site costs in each benchmark, and its objects by size.
func (v *detail) costs(s *sites.Site) []string {
	if len(s.Costs) == 0 {
		return v.says(0, "cost: "+notMeasured+": it allocated nothing in this run")
	}
	t := text.Table{Header: []string{v.ran(), "objects" + v.per(), "B" + v.per(), "share of CPU", "malloc", "assist",
		"GC (estimate)"}}
	estimated := false
	for _, c := range s.Costs {
		name := "?"
		if b := v.bench(c.Benchmark); b != nil {
			name = v.benchName(b)
		}
		estimated = estimated || c.Estimated
		t.Add(name, objectsOf(c), size(c.Bytes), share(c.Share), share(c.Malloc), share(c.Assist), share(c.GC))
	}
	out := v.table(t)
	if estimated {
		out = append(out, v.says(0, "≈: objects under 16 bytes share blocks, and their count is shared out among the "+
			"sites.")...)
	}
	return append(out, v.sizes(s)...)
}

// sizes returns the objects of a site by size class.
func (v *detail) sizes(s *sites.Site) []string {
	var parts []string
	for _, c := range s.Sizes {
		parts = append(parts, units.Bytes(c.Bytes)+" "+units.Percent(c.Objects))
	}
	if len(parts) == 0 {
		return nil
	}
	return v.says(0, "objects by size class: "+strings.Join(parts, ", "))
}

// leaves returns what allocates on behalf of the site, outside of the user's packages.
func (v *detail) leaves(s *sites.Site) []string {
	inside := s.Inside
	if len(inside) == 0 && s.Callee != nil {
		inside = []sites.Callee{*s.Callee}
	}
	var out []string
	for i := range inside {
		c := &inside[i]
		if i == 0 {
			out = v.heading("callee allocates")
		}
		out = append(out, v.says(2, fmt.Sprintf("%s of its objects, %s of its bytes: %s %s%s", units.Percent(c.Objects),
			units.Percent(c.Bytes), c.Function, at(c.File, c.Line), called(c)))...)
		out = append(out, v.says(4, sentence(string(c.Class)+": "+causeWords(c.Cause, "")))...)
		if c.Says != "" {
			out = append(out, v.says(4, "compiler: "+c.Says)...)
		}
		out = append(out, v.flow(c.Flow)...)
	}
	return out
}

// called says by which call the callee is reached.
func called(c *sites.Callee) string {
	if c.Via == "" || c.Via == c.Function {
		return ""
	}
	return ", called by way of " + c.Via
}

// remedy returns the usual fix, what an object costs, and what the fix would save.
func (v *detail) remedy(s *sites.Site) []string {
	var out []string
	if fix := fixOf(s); fix != "" {
		out = v.says(0, "usual fix: "+sentence(fix))
	}
	if s.Price != nil && measured(*s.Price) {
		out = append(out, v.says(0, "one such object costs "+seconds(*s.Price)+" on this machine")...)
	}
	if g := v.gain(s); g != "" {
		out = append(out, v.says(0, strings.Join(slices.DeleteFunc([]string{sentence(g), v.gainShare(s),
			sentence(s.Gain.From)}, func(x string) bool { return x == "" }), " "))...)
	}
	return out
}

// gainShare returns the share of the benchmark's time that the fix would save.
func (v *detail) gainShare(s *sites.Site) string {
	if !measured(s.Gain.Share) {
		return ""
	}
	of := "the time per operation"
	if b := v.bench(s.Gain.Benchmark); b != nil {
		of += " of " + v.benchName(b)
	}
	return "That is " + share(s.Gain.Share) + " of " + of + "."
}

// edit returns the proposed change.
func (v *detail) edit(s *sites.Site) []string {
	if s.Edit == nil {
		return nil
	}
	out := v.heading("proposed edit, not applied: " + s.Edit.Title)
	colors := map[byte]pretty.Color{'+': pretty.FgGreen, '-': pretty.FgRed, '@': pretty.Faint}
	for line := range strings.SplitSeq(strings.TrimSuffix(s.Edit.Diff, "\n"), "\n") {
		if line != "" && colors[line[0]] != 0 {
			out = append(out, v.code(colors[line[0]], line))
			continue
		}
		out = append(out, v.code(0, line))
	}
	if s.Edit.Check != "" {
		out = append(out, v.says(0, "check: "+sentence(s.Edit.Check))...)
	}
	return out
}
