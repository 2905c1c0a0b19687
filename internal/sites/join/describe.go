package join

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// describe fills a site from what was gathered.
func (a *analysis) describe(g *gathered) {
	s := &g.site
	s.Calls = slices.Sorted(maps.Keys(g.targets))
	switch {
	case g.diag >= 0:
		a.explained(s, &g.diags.sites[g.diag])
		a.another(g)
		s.Package = g.pkg
		s.Named = onlyNamed(g)
		a.innermost(s, g.chain)
	case g.via != "":
		a.outside(g)
	default:
		a.unexplained(s, g.fn, g.file, g.line, g.target)
	}
	if g.diag < 0 {
		s.Package = g.pkg
		_, fn := split(g.fn)
		s.Function = binary.Generic(fn)
		s.File, s.Line = g.file, g.line
		if s.Expr == "" && g.via != "" {
			s.Expr = sites.Short(g.via) + "(…)"
		}
	}
	if g.objects() == 0 && a.ran {
		s.Would, s.Class = s.Class, sites.NeverExecuted
		if a.executed[executed(s.Package, s.Function)] {
			s.Class = sites.DidNotAllocate
		}
	}
	for _, l := range g.chain {
		s.Chain = append(s.Chain, a.files.frame(l))
	}
	a.locate(s)
	a.costs(g)
	g.advise()
}

// another gives a site the cause of what its calls do, where the compiler speaks of two at once: a text
// that is copied, and put into an interface.
func (a *analysis) another(g *gathered) {
	s := &g.site
	as := func(c escape.Cause) { s.Cause, s.Advice = compilerCause(c), "" }
	switch cause := g.diags.sites[g.diag].Cause; {
	case g.method:
		as(escape.MethodValue)
	case g.boxes && (cause == escape.TextConversion || cause == escape.Concatenation):
		as(escape.Boxing)
	case !g.boxes && cause != escape.TextConversion && cause != escape.Concatenation:
		for target := range g.targets {
			if r, _ := namedReason(target, "", ""); copiesText(target) {
				s.Cause, s.Advice = r, ""
			}
		}
	}
}

// copiesText reports whether a function of the runtime makes a text of another one.
func copiesText(target string) bool {
	return beginsWith(target, []string{"runtime.slicebytetostring", "runtime.stringtoslice", "runtime.slicerunetostring",
		"runtime.concat"})
}

// innermost moves a site to the line where its expression is written: the compiler speaks of the
// line into which that was inlined.
func (a *analysis) innermost(s *sites.Site, chain []line) {
	for _, l := range chain {
		if !a.mine(l.pkg) {
			continue
		}
		if Base(l.file) != Base(s.File) || l.line != s.Line {
			s.Package, s.File, s.Line, s.Col = l.pkg, l.file, l.line, 0
			_, fn := split(l.fn)
			s.Function = binary.Generic(fn)
		}
		return
	}
}

// onlyNamed says what the compiler's words leave open: "does not escape" is not "does not
// allocate".
func onlyNamed(g *gathered) string {
	d := &g.diags.sites[g.diag]
	if d.Kind.Heap() || len(g.targets) == 0 {
		return ""
	}
	_, says := namedReason(slices.Min(slices.Collect(maps.Keys(g.targets))), "", "")
	return says
}

// explained takes over what the compiler says.
func (a *analysis) explained(s *sites.Site, d *escape.Site) {
	s.Class = classOf(d)
	s.Cause, s.Advice = compilerCause(d.Cause), d.Advice
	s.Function = cmp.Or(binary.Generic(d.Func), d.In)
	s.File, s.Line, s.Col = d.File, d.Line, d.Col
	s.Expr, s.Says = d.Expr, d.Message
	s.Flow, s.FlowAt = a.files.flow(d.Steps)
}

func classOf(d *escape.Site) sites.Class {
	if d.Certain() {
		return sites.CertainHeap
	}
	return sites.Conditional
}

// unexplained describes a call of which the compiler says nothing.
func (a *analysis) unexplained(s *sites.Site, fn, file string, line int, target string) {
	s.Class = sites.RuntimeOnly
	s.Cause, s.Named = namedReason(target, fn, file)
	if adviseRuntime[s.Cause.Key] {
		s.Advice = s.Cause.Fix
	}
	if d := a.contradicted(packageOf(fn, file, a.main), file, line, target); d != nil {
		s.Says, s.Expr, s.Col = d.Message, d.Expr, d.Col
	}
	if s.Expr == "" && target != "" {
		s.Expr = binary.Does(target)
	}
}

// outside describes what allocates on behalf of a line, in other packages.
func (a *analysis) outside(g *gathered) {
	all := slices.Collect(maps.Keys(g.leaves))
	slices.SortFunc(all, func(x, y leaf) int {
		return cmp.Or(cmp.Compare(g.leaves[y].bytes, g.leaves[x].bytes), cmp.Compare(x.fn, y.fn),
			cmp.Compare(x.line, y.line), cmp.Compare(x.target, y.target))
	})
	var objects, size float64
	for _, l := range all {
		objects += g.leaves[l].objects
		size += g.leaves[l].bytes
	}
	for _, l := range all {
		c := a.callee(g, l)
		if objects > 0 && size > 0 {
			c.Objects, c.Bytes = g.leaves[l].objects/objects, g.leaves[l].bytes/size
		}
		g.site.Inside = append(g.site.Inside, c)
	}
	if len(g.site.Inside) > 0 {
		first := g.site.Inside[0]
		g.site.Callee, g.site.Class, g.site.Cause = &first, first.Class, first.Cause
		g.site.Advice = adviceOutside(&first, all[0].through != "")
		if first.Says == "" {
			g.site.Named = "it is in " + sites.Short(first.Function) + ", of which the compiler says nothing"
		}
	}
}

// callee describes a leaf outside.
func (a *analysis) callee(g *gathered, l leaf) sites.Callee {
	c := sites.Callee{Frame: a.files.frame(line{fn: l.fn, file: l.file, line: l.line}), Package: l.pkg, Via: g.via,
		Class: sites.RuntimeOnly}
	m := g.matches[l]
	if m.diag >= 0 {
		d := &a.packages[m.pkg].sites[m.diag]
		c.Class, c.Cause, c.Says = classOf(d), compilerCause(d.Cause), d.Message
		c.Flow, _ = a.files.flow(d.Steps)
	} else {
		c.Cause, _ = namedReason(l.target, l.fn, l.file)
	}
	if l.through != "" {
		c.Cause, _ = leafReason(l.through)
		if c.Class == sites.CertainHeap && seldom[c.Cause.Key] {
			c.Class = sites.Conditional
		}
	}
	return c
}

// locate finds a site's source line.
func (a *analysis) locate(s *sites.Site) {
	s.Path = s.File
	if !filepath.IsAbs(s.Path) {
		if dir := a.folders[s.Package]; dir != "" {
			s.Path = filepath.Join(dir, Base(s.File))
		}
	}
	s.File = a.files.relative(s.Path)
	text := a.files.text(s.Path)
	if s.Line >= 1 && s.Line <= len(text.lines) {
		s.Text = strings.TrimSpace(string(text.lines[s.Line-1]))
	}
	s.Generated = text.generated
}

// costs fills a site's costs and sizes.
func (a *analysis) costs(g *gathered) {
	for bench, t := range g.tallies {
		i := slices.IndexFunc(g.costs, func(c sites.Cost) bool { return c.Benchmark == bench })
		if i < 0 {
			g.costs = append(g.costs, sites.Cost{Benchmark: bench})
			i = len(g.costs) - 1
		}
		g.costs[i].Objects, g.costs[i].Bytes, g.costs[i].Estimated = t.objects, t.bytes, t.estimated
		g.costs[i].Again = t.again
	}
	slices.SortFunc(g.costs, func(x, y sites.Cost) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Benchmark, y.Benchmark))
	})
	g.site.Costs = g.costs
	var all float64
	for size, n := range g.sizes {
		g.site.Sizes = append(g.site.Sizes, sites.SizeClass{Bytes: size, Objects: n})
		all += n
	}
	for i := range g.site.Sizes {
		g.site.Sizes[i].Objects /= all
	}
	slices.SortFunc(g.site.Sizes, func(x, y sites.SizeClass) int {
		return cmp.Or(cmp.Compare(y.Objects, x.Objects), cmp.Compare(x.Bytes, y.Bytes))
	})
	if g.site.Cause.Key == "" {
		for _, t := range g.tallies {
			a.uncategorised += t.objects
		}
	}
}

// profiles keeps which site each record of the heap profiles is charged to.
func (a *analysis) profiles(index map[*gathered]int) {
	for _, c := range a.counted {
		at := make([]int, len(c.charged))
		for i, g := range c.charged {
			at[i] = -1
			if site, ok := index[g]; ok && g != nil {
				at[i] = site
			}
		}
		a.report.Profiles = append(a.report.Profiles, sites.Profiled{Benchmark: c.bench, Memory: c.memory, Sites: at})
	}
}

// identify gives each site an ID that lines which move, other functions, and other versions of
// Go do not change: its function's plain name and cause, readable, and a hash of function,
// expression and cause; several that are alike are numbered in the order of the source.
func identify(sites []sites.Site) {
	order := make([]int, len(sites))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := &sites[i], &sites[j]
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
	})
	seen := map[string]int{}
	for _, i := range order {
		s := &sites[i]
		fn := escape.PlainName(s.Function)
		key := s.Package + "|" + fn + "|" + plain(s.Expr) + "|" + s.Cause.Key
		if s.Callee != nil {
			key += "|" + s.Callee.Via
		}
		sum := sha256.Sum256([]byte(key))
		s.ID = fmt.Sprintf("%s/%s/%s", fn, cmp.Or(s.Cause.Key, "unknown"), hex.EncodeToString(sum[:4]))
		if seen[s.ID]++; seen[s.ID] > 1 {
			s.ID += fmt.Sprintf("#%d", seen[s.ID])
		}
	}
}

// plain drops from an expression what versions of the compiler write differently.
func plain(expr string) string {
	expr = strings.TrimPrefix(expr, "&")
	if strings.HasPrefix(expr, "~R") {
		expr = "~r" + expr[2:]
	}
	if i := strings.IndexByte(expr, '{'); i > 0 {
		expr = expr[:i]
	}
	return strings.Join(strings.Fields(strings.TrimSuffix(expr, " literal")), "")
}

// steps are the compiler's reasons for the steps of a flow (cmd/compile/internal/gotool/escape) in
// plain words; %s is the expression.
var steps = map[string]string{
	"address-of":                       "its address is taken: %s",
	"assign":                           "it is assigned: %s",
	"assign-pair":                      "it is assigned: %s",
	"assign-pair-dot-type":             "it is assigned: %s",
	"assign-pair-func-call":            "it is assigned: %s",
	"assign-pair-mapr":                 "it is assigned: %s",
	"assign-pair-receive":              "it is assigned: %s",
	"return":                           "it is returned: %s",
	"call parameter":                   "it is handed to a function: %s",
	"interface-converted":              "it is put into an interface: %s",
	"captured by a closure":            "a function literal captures it: %s",
	"spill":                            "its address is kept in a variable: %s",
	"slice-literal-element":            "it is an element of a slice literal: %s",
	"array literal element":            "it is an element of an array: %s",
	"struct literal element":           "it is a field of a struct: %s",
	"map literal key":                  "it is a key of a map: %s",
	"map literal value":                "it is a value in a map: %s",
	"key of map put":                   "it is a key of a map: %s",
	"value of map put":                 "it is stored in a map: %s",
	"send":                             "it is sent on a channel: %s",
	"receive":                          "it is received from a channel: %s",
	"range":                            "the loop ranges over it: %s",
	"range-deref":                      "the loop ranges over it: %s",
	"dot":                              "it is a field of %s",
	"dot of pointer":                   "a pointer leads to it: %s",
	"indirection":                      "a pointer leads to it: %s",
	"star-dot-equals":                  "it is stored behind a pointer: %s",
	"slice":                            "a slice is taken of it: %s",
	"appended to slice":                "it is appended to a slice: %s",
	"appendee slice":                   "append makes a larger block of it: %s",
	"copied slice":                     "it is copied: %s",
	"defer func":                       "a deferred call needs it: %s",
	"go func":                          "a goroutine needs it: %s",
	"method-value":                     "a method value binds it: %s",
	"fixed-array-index-of":             "it is an element of an array: %s",
	"index of array":                   "it is an element of an array: %s",
	"reassigned":                       "it is assigned again: %s",
	"too large for stack":              "it is too large for the stack: %s",
	"non-constant size":                "its size is known only at run time: %s",
	"passed-to-and-returned-from-call": "a function returns what it is handed: %s",
	"switch case":                      "a switch compares it: %s",
	"implicit deref":                   "a pointer leads to it: %s",
	"escape analysis":                  "%s",
}

// flow returns how a value reaches the heap, a sentence each, with where that is.
func (f *files) flow(all []escape.Step) (says []string, at []sites.Frame) {
	for i, s := range all {
		if s.To != "" {
			if i == len(all)-1 || all[i+1].To != "" || s.To == "{heap}" {
				says, at = append(says, reaches(s)), append(at, sites.Frame{})
			}
			continue
		}
		words, ok := steps[s.Reason]
		if !ok {
			words = s.Reason + ": %s"
		}
		says = append(says, fmt.Sprintf(words, s.Expr)+fmt.Sprintf(" (%s:%d)", Base(s.File), s.Line))
		at = append(at, sites.Frame{File: f.relative(s.File), Line: s.Line})
	}
	return says, at
}

// reaches says where a flow ends.
func reaches(s escape.Step) string {
	switch to := s.To; {
	case to == "{heap}":
		return s.Of + " reaches the heap:"
	case strings.HasPrefix(to, "{storage for "):
		return fmt.Sprintf("%s becomes part of %s:", s.Of,
			strings.TrimSuffix(strings.TrimPrefix(to, "{storage for "), "}"))
	case strings.HasPrefix(to, "~r"), strings.HasPrefix(to, "~R"):
		return s.Of + " becomes a result:"
	default:
		return fmt.Sprintf("%s becomes %s:", s.Of, to)
	}
}

// files are the source files of the packages that were asked for.
type files struct {
	dir   string // of the module
	read  func(path string) ([]byte, error)
	texts map[string]text // by their paths
}

var generatedBy = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func (f *files) frame(l line) sites.Frame {
	return sites.Frame{Function: strings.ReplaceAll(l.fn, "%2e", "."), File: f.relative(l.file), Line: l.line}
}

// relative returns a file's path from the module's folder, with slashes; a file outside as it is.
func (f *files) relative(file string) string {
	if f.dir != "" && filepath.IsAbs(file) {
		if rel, err := filepath.Rel(f.dir, file); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}

// A text is a source file by lines.
type text struct {
	lines     [][]byte
	generated bool
}

func (f *files) text(path string) text {
	if t, ok := f.texts[path]; ok || f.read == nil {
		return t
	}
	var t text
	if data, err := f.read(path); err == nil {
		t = text{bytes.Split(data, []byte("\n")), generatedBy.Match(data)}
	}
	if f.texts == nil {
		f.texts = map[string]text{}
	}
	f.texts[path] = t
	return t
}
