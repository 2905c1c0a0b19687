package sites

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/document"
)

// annotated returns the functions of a file that have sites, each line with what its sites cost
// and why they allocate.
func (b *builder) annotated(name string) ([]document.Block, error) {
	file, err := b.file(name)
	if err != nil {
		return nil, err
	}
	var sites []*Site
	for i := range b.Sites {
		if b.Sites[i].File == file {
			sites = append(sites, &b.Sites[i])
		}
	}
	slices.SortStableFunc(sites, func(x, y *Site) int { return (x.Line-y.Line)*256 + x.Col - y.Col })
	lines := b.files.Lines(sites[0].Path)
	if lines == nil {
		return nil, hint.New("the report itself has one line of each site: --long",
			"showing the source: %q cannot be read", file)
	}
	figures := fmt.Sprintf("Before a line stand objects%[1]s and B%[1]s in the %[2]s in which the site allocates most "+
		"bytes.", b.per(), b.ran())
	if b.static() {
		figures = "Nothing was run, so that no site has figures."
	}
	out := []document.Block{
		&document.Sentence{Text: document.As(document.Strong, file)},
		&document.Sentence{Hang: 2, Text: document.Say(
			"H certain heap, C conditional, R runtime only, n never executed. " + figures)}}
	byLine := map[int][]*Site{}
	for _, s := range sites {
		byLine[s.Line] = append(byLine[s.Line], s)
	}
	for _, f := range extents(sites, lines) {
		source := &document.Source{Frame: document.Frame{Gap: 1}, Language: "go"}
		for n := f.first; n <= f.last; n++ {
			source.Lines = append(source.Lines, b.margins(n, lines[n-1], byLine[n])...)
		}
		out = append(out, source)
	}
	return out, nil
}

// margins returns a line of source with its sites: each further one has a line of its own.
func (b *builder) margins(n int, line string, sites []*Site) []document.SourceLine {
	out := []document.SourceLine{{Number: n, Text: line}}
	for i, s := range sites {
		if i > 0 {
			out = append(out, document.SourceLine{Text: line[:len(line)-len(strings.TrimLeft(line, " \t"))]})
		}
		x := &out[len(out)-1]
		reason := "// " + s.cause()
		if s.Rank > 0 {
			reason = fmt.Sprintf("// %d: %s", s.Rank, s.cause())
		}
		x.Margin, x.Note = b.margin(s), document.As(document.Faint, reason)
	}
	return out
}

// letters stand for classes in the margin.
var letters = map[Class]string{CertainHeap: "H", Conditional: "C", RuntimeOnly: "R", DidNotAllocate: "d",
	NeverExecuted: "n"}

// margin returns the figures and the class of a site.
func (b *builder) margin(s *Site) document.Text {
	count, amount := "", ""
	if len(s.Costs) > 0 {
		f := s.Costs[0].figures()
		count, amount = f[0].String(), f[1].String()
	}
	return document.Say(fmt.Sprintf("%10s %10s %1s", count, amount, letters[s.Class]))
}

// An extent is the lines of a function.
type extent struct{ first, last int }

// extents returns the declarations that contain sites, in the order of the file. Of a file that
// cannot be parsed they are the lines around each site.
func extents(sites []*Site, lines []string) []extent {
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

// declarations returns the lines of the top-level declarations of a file. What cannot be parsed
// has those before the mistake.
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

// Files are source files by lines; each is read once.
type Files struct {
	Read  func(path string) ([]byte, error) // nil reads none
	lines map[string][]string
}

// Lines returns the lines of a file, nil where it cannot be read.
func (f *Files) Lines(path string) []string {
	if f.Read == nil || path == "" {
		return nil
	}
	lines, known := f.lines[path]
	if !known {
		if text, err := f.Read(path); err == nil {
			lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		}
		if f.lines == nil {
			f.lines = map[string][]string{}
		}
		f.lines[path] = lines
	}
	return lines
}
