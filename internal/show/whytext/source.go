package whytext

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/base/hint"
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

// marginWidth is what figures and the class take before a line's number.
const marginWidth = 25

// all returns the functions of a file that have sites, each line with what its sites
// cost and, beside it or below it, why they allocate.
func (v *annotated) all() ([]string, error) {
	names := files(v.r, v.o.Source)
	switch {
	case len(names) == 0:
		return nil, hint.Usage(filesHint(v.r), "showing the source: no site is in the file %s (--source)",
			strconv.Quote(text.Clean(v.o.Source)))
	case len(names) > 1 && !slices.Contains(names, v.o.Source):
		return nil, hint.Usage("name more of its path: "+text.Clean(strings.Join(names[:min(len(names), 5)], ", ")),
			"showing the source: %d files are called %s (--source)", len(names), strconv.Quote(text.Clean(v.o.Source)))
	}
	file := names[0]
	if slices.Contains(names, v.o.Source) {
		file = v.o.Source
	}
	sites := v.inFile(file)
	lines := v.sourceLines(sites[0])
	if lines == nil {
		return nil, hint.New("the report itself has one line of each site: --long",
			"showing the source: %s cannot be read", text.Clean(file))
	}
	return sections(v.legend(file), v.functions(sites, lines)), nil
}

// filesHint names files that have sites.
func filesHint(r *sites.Report) string {
	names := files(r, "")
	if len(names) == 0 {
		return "the report has no sites"
	}
	return "files with sites are " + text.Clean(strings.Join(names[:min(len(names), 5)], ", "))
}

// inFile returns the sites of a file by position.
func (v *annotated) inFile(file string) []*sites.Site {
	var out []*sites.Site
	for i := range v.r.Sites {
		if v.r.Sites[i].File == file {
			out = append(out, &v.r.Sites[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *sites.Site) int { return (a.Line-b.Line)*256 + a.Col - b.Col })
	return out
}

// legend says what stands in the margin.
func (v *annotated) legend(file string) []string {
	figures := "Figures are of the " + v.ran() + " in which the site allocates most bytes."
	if v.static() {
		figures = "Nothing was run, so that no site has figures."
	}
	return slices.Concat(v.heading(file),
		v.says(0, "H certain heap, C conditional, R runtime only, n never executed. "+figures),
		v.lines(func(p *text.Printer) {
			p.Line(0, pretty.Faint, fmt.Sprintf("%10s %10s      line", "objects"+v.per(), "B"+v.per()), "")
		}))
}

// functions returns the functions that have sites, an empty line between them.
func (v *annotated) functions(all []*sites.Site, lines []string) []string {
	byLine := map[int][]*sites.Site{}
	for _, s := range all {
		byLine[s.Line] = append(byLine[s.Line], s)
	}
	var parts [][]string
	for _, f := range extents(all, lines) {
		var part []string
		for n := f.first; n <= f.last; n++ {
			part = append(part, v.margins(n, lines[n-1], byLine[n])...)
		}
		parts = append(parts, part)
	}
	return sections(parts...)
}

// margins returns a line of source with its sites: the first beside it, each further one
// below, and the reason of each where there is room for it, else on a line of its own.
func (v *annotated) margins(n int, line string, sites []*sites.Site) []string {
	source := fmt.Sprintf("%5d  %s", n, cleanCode(line))
	if len(sites) == 0 {
		return []string{v.cut(strings.Repeat(" ", marginWidth), source, 0)}
	}
	var out []string
	indent := strings.Repeat(" ", 7+len(cleanCode(line))-len(strings.TrimLeft(cleanCode(line), " ")))
	for i, s := range sites {
		reason := "// " + cause(s)
		if s.Rank > 0 {
			reason = fmt.Sprintf("// %d: %s", s.Rank, cause(s))
		}
		reason = text.Clean(reason)
		margin := v.margin(s)
		switch {
		case i > 0:
			out = append(out, v.cut(margin, indent+reason, 0))
		case marginWidth+pretty.StringWidth(source)+2+pretty.StringWidth(reason) <= v.o.Width:
			out = append(out, v.cut(margin, source+"  "+reason, pretty.Bold))
		default:
			out = append(out, v.cut(margin, source, pretty.Bold),
				v.cut(strings.Repeat(" ", marginWidth), indent+reason, 0))
		}
	}
	return out
}

// cut returns a margin and a line after it, within the width.
func (v *annotated) cut(margin, line string, c pretty.Color) string {
	return v.code(c, strings.TrimRight(pretty.Snip(margin+line, v.o.Width, "…"), " "))
}

// margin returns the figures and the class of a site.
func (v *annotated) margin(s *sites.Site) string {
	letter := letters[s.Class]
	if v.static() && s.Would != "" && s.Class == sites.NeverExecuted {
		letter = letters[s.Would]
	}
	count, amount := "", ""
	if len(s.Costs) > 0 {
		count, amount = objectsOf(s.Costs[0]), size(s.Costs[0].Bytes)
	}
	return fmt.Sprintf("%10s %10s %1s  ", count, amount, letter)
}

// An extent is the lines of a function.
type extent struct{ first, last int }

// extents returns the declarations that contain sites, in the order of the file. Of a file
// that cannot be parsed they are the lines around each site.
func extents(sites []*sites.Site, lines []string) []extent {
	declared := declarations(lines)
	var out []extent
	for _, s := range sites {
		if s.Line < 1 || s.Line > len(lines) {
			continue
		}
		e := extent{max(s.Line-contextLines, 1), min(s.Line+contextLines, len(lines))}
		for _, d := range declared {
			if d.first <= s.Line && s.Line <= d.last {
				e = d
			}
		}
		if n := len(out); n > 0 && e.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, e.last)
			continue
		}
		out = append(out, e)
	}
	return out
}

// declarations returns the lines of the top-level declarations of a file. What cannot be
// parsed has those before the mistake.
func declarations(lines []string) []extent {
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "", strings.Join(lines, "\n"), parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	var out []extent
	for _, d := range f.Decls {
		if _, bad := d.(*ast.BadDecl); bad {
			continue
		}
		e := extent{set.PositionFor(d.Pos(), false).Line, set.PositionFor(d.End(), false).Line}
		out = append(out, extent{e.first, min(e.last, len(lines))})
	}
	return out
}
