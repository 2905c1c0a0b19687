package memcost_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A mutant is a plausible mistake in the method: statements or an expression of one function, replaced
// by others. They are found by their syntax, so that neither formatting nor moving a function to
// another file makes a mutant miss.
type mutant struct {
	name     string
	in       string // the package below internal and the function: "method/stat mixture.logE"
	old, new string // "" for new takes the statements out
	noticed  string // the packages whose tests must notice it; "" is its own
}

// Mistakes that would make the instrument say wrong things. Each must fail a test.
var mutants = []mutant{
	{"alpha doubled: every look has all of what is left", "method/stat Looks.levels",
		"z = critical(same)", "z = critical(min(2 * same, 0.9))", ""},
	{"alpha spent twice towards the last look", "method/stat Looks.levels",
		"plannedShare*alpha*l.spends(n)-sum", "2*plannedShare*alpha*l.spends(n)-sum", ""},
	{"looks as if they were independent of those before", "method/stat walk.to",
		"rho = math.Sqrt(float64(w.rounds) / float64(rounds))", "rho = 0.99 + 0*float64(rounds)", ""},
	{"a look is wherever one looks", "method/stat Looks.At",
		"return last", "return n", ""},
	{"signs and no ranks", "method/stat criticalSum",
		"return t", "return t + 1", ""},
	{"a fraction of the signs' distribution", "method/stat sumShares",
		"share[t] += share[t-rank] / 2", "share[t] += share[t-rank] / 3", ""},
	{"a claim fails where one place is below alpha", "method/claim shares",
		"(1 - allShare) * alpha / float64(m)", "(1 - allShare) * alpha", ""},
	{"a claim fails although it holds at a place", "method/claim refute",
		"everywhere = everywhere && e.Status != Holds && e.beyond(all)",
		"everywhere = everywhere || e.Status != Holds && e.beyond(all)", ""},
	{"a claim holds when it is right on one side", "method/claim allowed.holds",
		"a.free(a.hi) || a.has(iv.Hi)", "true", ""},
	{"one-sided claims at twice the level", "method/claim Element.within",
		"2 * alpha", "4 * alpha", ""},
	{"a verdict beside an interval that contradicts it", "method/claim Element.shown",
		"e.Interval = e.at(2 * alpha)", "_ = e.at(2 * alpha)", ""},
	{"what is at a bound may lie far above it", "method/claim allowed.zones",
		"bound * (1 + a.margin)", "2 * bound * (1 + a.margin)", ""},
	{"intersection in the wrong direction", "method/stat Interval.Intersect",
		"Interval{max(i.Lo, other.Lo), min(i.Hi, other.Hi)}", "Interval{min(i.Lo, other.Lo), max(i.Hi, other.Hi)}", ""},
	{"an empty interval decides", "method/stat Decide",
		"iv.IsEmpty()", "false", ""},
	{"e-BH without the number of hypotheses", "method/stat Discoveries",
		"m/(alpha*float64(i+1))*(1-1e-9)", "1/(alpha*float64(i+1))*(1-1e-9)", ""},
	{"Bonferroni without the number of hypotheses", "method/stat Discoveries",
		"selected[i] = p[i] <= alpha/m", "selected[i] = p[i] <= alpha", ""},
	{"discoveries keep their narrow intervals", "method/stat Discoveries",
		"alpha * float64(k) / m", "alpha + 0*float64(k)", "method/claim"},
	{"changes are not corrected for their number", "method/claim Change.discovered",
		`c.Discovery = selected && c.Doubt == ""`, `c.Discovery = c.basis.p(excludesNone) < 0.05 && c.Doubt == ""`, ""},
	{"rounds that depend on each other count in full", "method/stat Pool.tau",
		"max(1+tauSlope*r, (1+r)/(1-r))", "1", ""},
	{"clip removed", "method/stat standardize",
		"max(-clipAt, min(deviation/scale, clipAt))", "deviation / scale", ""},
	{"autocorrelation of raw values", "method/stat clipped",
		"standardize(x-centre, scale)", "x - centre + 0*scale", ""},
	{"a comparison is its own neighbour", "method/stat Pool.Without",
		"p.count(d, link, -1)", "p.count(d, link, 0)", ""},
	{"rounds of one link count as if of many", "method/stat Rounds.design",
		"r.Share * max(kish, tau)", "r.Share * max(1, tau)", ""},
	{"links that stand out are lent what is usual", "method/stat Pool.Rounds",
		"v.p(usual) >= standsOut", "usual < 1e9", "method/stat"},
	{"links are not asked", "method/claim basis.looked",
		"distinct(b.links[:n]) > 1", "false", ""},
	{"a forecast takes later rounds for those of the look", "method/claim basis.looked",
		"return b.each[:n], links", "return b.each, links", ""},
	{"rounds that agree exclude what is near them", "method/stat Rounds.beside",
		"math.Pow(float64(n)/level, 1/freedom)/2-1", "0*math.Pow(float64(n)/level, 1/freedom)", ""},
	{"rare counts in short blocks", "method/stat Looks.blockOf",
		"min(nonZero(a), nonZero(b))*size >= len(a)", "size > 0", ""},
	{"kinds that agree by chance", "method/stat line.halfWidth",
		"q := max(1, l.squares/freedom)", "q := l.squares / freedom", ""},
	{"three kinds decide", "method/stat",
		"const LeastKinds = 4", "const LeastKinds = 3", ""},
	{"coin removed", "measure/plan Plan.Round",
		"rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })", "", ""},
	{"sides take turns", "measure/plan Plan.Round",
		"rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })", `
		if round%2 == 1 {
			slices.Reverse(ts)
		}`, ""},
	{"one coin for all comparisons", "measure/plan Plan.Round",
		"rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })", `stream(o.Seed, "coin", round).Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })`, ""},
	{"cases of a ratio without a coin", "measure/plan sequence",
		`
		if rng.IntN(2) == 1 {
			pr[0], pr[1] = pr[1], pr[0]
		}`, `
		if false {
			pr[0], pr[1] = pr[1], pr[0]
		}`, ""},
	{"what is decided is measured on", "method/claim Verdict.Waits",
		"v.Status != Undecided || e.Status != Undecided", "false", ""},
	{"pairing broken: with the other side's next round", "method/series Set.join",
		"m.Rounds[at[i]] != round", "false", "method/series method/claim"},
	{"pairing broken: in the order of what was measured", "method/series Set.join",
		"row[i] = vs[at[i]]", "row[i] = vs[min(at[0], len(vs)-1)]", "method/series method/claim"},
	{"excluded rounds look at results", "method/series Set.join",
		"ok && good(row[i])", "ok && good(row[i]) && row[i] < 100*row[0]", "method/series method/claim"},
	{"disturbed rounds count", "method/series Set.join",
		"s.voidRounds(m.Group)", "nil", "method/series method/claim"},
	{"crashed samples vanish", "method/claim crashes",
		`
		if e.Crashed > 0 {
			e.Doubt = Crashes
		}`, "", ""},
	{"a busy machine decides", "method/claim Data.join",
		`b.about.Doubt == "" && d.Busy && !alike`, "false", ""},
}

// Each mistake fails a test: what the tests say is not only that the code does what it
// does. It prints for each the test that noticed it.
func TestMutants(t *testing.T) {
	long(t)
	failed := regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	killed, tried := 0, 0
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			tried++
			out, err := m.test(t)
			var exit *exec.ExitError
			by := failed.FindAllStringSubmatch(out, -1)
			switch {
			case err == nil:
				t.Errorf("%s: no test of %s notices %q in %s", m.name, m.packages(), m.new, m.in)
			case !errors.As(err, &exit):
				t.Fatal(err)
			case len(by) == 0:
				t.Errorf("%s: no test failed, and go test ended with %v:\n%s", m.name, err, out)
			default:
				killed++
				fmt.Printf("mutant %-55s killed by %s\n", m.name, by[len(by)-1][1])
			}
		})
	}
	fmt.Printf("mutants of the method: %d of %d killed\n", killed, tried)
}

// What mutants replace is there, once each, and what they put there is Go.
func TestMutantsApply(t *testing.T) {
	for _, m := range mutants {
		if _, _, err := m.apply(sources(t)); err != nil {
			t.Error(err)
		}
	}
	if len(mutants) < 8 {
		t.Errorf("only %d mutants", len(mutants))
	}
}

// A mutant finds its place whatever the spaces and the file are, and neither in another function nor
// where something else stands.
func TestMutantsMatchSyntax(t *testing.T) {
	const text = `package p
type T struct{}
const ( A = 1; B = 2 )
func (t *T) f(x int) int {
	if x >
		1 { return g(x,   2) } // as is
	return 3
}
func g(a, b int) int { return 3 }
`
	f, err := parser.ParseFile(files, "internal/p/file.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := []source{{"internal/p/file.go", []byte(text), f}}
	for _, c := range []struct{ in, old, new, want string }{
		{"p T.f", "g(x, 2)", "7", "{ return 7 } // as is"},
		{"p T.f", "if x > 1 { return g(x, 2) }\nreturn 3", "return 0", ") int {\n\treturn 0\n}"},
		{"p g", "return 3", "", "int {  }"},
		{"p", "const B = 2", "const B = 9", "A = 1; B = 9 )"},
		{"p", "return 3", "return 4", ""},   // twice
		{"p T.f", "g(x, 3)", "7", ""},       // not there
		{"p T.g", "return 3", "", ""},       // no such method
		{"p g", "return 3", "return (", ""}, // no Go
	} {
		_, got, err := mutant{"m", c.in, c.old, c.new, ""}.apply(all)
		if (err != nil) != (c.want == "") || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %q for %q: %v\n%s", c.in, c.new, c.old, err, got)
		}
	}
}

// packages are those whose tests must notice the mistake.
func (m mutant) packages() (out []string) {
	own, _, _ := strings.Cut(m.in, " ")
	if m.noticed != "" {
		own = m.noticed
	}
	for _, p := range strings.Fields(own) {
		out = append(out, "./internal/"+p)
	}
	return out
}

// apply returns the file with the mistake, and its path.
func (m mutant) apply(all []source) (file string, text []byte, err error) {
	want, err := syntax(m.old)
	if err != nil {
		return "", nil, fmt.Errorf("mutant %q: %q is no Go: %w", m.name, m.old, err)
	}
	dir, function, _ := strings.Cut(m.in, " ")
	found := 0
	for _, s := range all {
		if s.test() || path.Dir(s.path) != "internal/"+dir {
			continue
		}
		for _, d := range s.file.Decls {
			if fn, is := d.(*ast.FuncDecl); function != "" && (!is || nameOf(fn) != function) {
				continue
			}
			for _, at := range matches(d, want) {
				found++
				file = s.path
				from, to := files.Position(at[0]).Offset, files.Position(at[1]).Offset
				text = slices.Concat(s.text[:from], []byte(strings.TrimPrefix(m.new, "const ")), s.text[to:])
			}
		}
	}
	if found != 1 {
		return "", nil, fmt.Errorf("mutant %q: %s has %q %d times; write the mistake anew for what stands there now",
			m.name, m.in, m.old, found)
	}
	if _, err := format.Source(text); err != nil {
		return "", nil, fmt.Errorf("mutant %q: with %q: %w", m.name, m.new, err)
	}
	return file, text, nil
}

// nameOf is a function's name, with its receiver's type before it.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	of := fn.Recv.List[0].Type
	if star, is := of.(*ast.StarExpr); is {
		of = star.X
	}
	if id, is := of.(*ast.Ident); is {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// syntax parses an expression, statements, or a constant's declaration.
func syntax(text string) ([]ast.Node, error) {
	if x, err := parser.ParseExpr(text); err == nil {
		return []ast.Node{x}, nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", 0)
	if err != nil {
		return nil, err
	}
	var out []ast.Node
	for _, s := range f.Decls[0].(*ast.FuncDecl).Body.List {
		if d, is := s.(*ast.DeclStmt); is { // alone or in a group of constants
			out = append(out, d.Decl.(*ast.GenDecl).Specs[0])
		} else {
			out = append(out, s)
		}
	}
	return out, nil
}

// matches lists the beginnings and ends of what is alike below a node: one node, or statements that
// follow each other.
func matches(below ast.Node, want []ast.Node) (out [][2]token.Pos) {
	ast.Inspect(below, func(n ast.Node) bool {
		if len(want) == 1 && alike(reflect.ValueOf(n), reflect.ValueOf(want[0])) {
			out = append(out, [2]token.Pos{n.Pos(), n.End()})
		}
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for i := 0; len(want) > 1 && i+len(want) <= len(list); i++ {
			all := true
			for k, w := range want {
				all = all && alike(reflect.ValueOf(list[i+k]), reflect.ValueOf(w))
			}
			if all {
				out = append(out, [2]token.Pos{list[i].Pos(), list[i+len(want)-1].End()})
			}
		}
		return true
	})
	return out
}

// alike reports whether two pieces of syntax are the same but for where they stand and what is
// remarked on them.
func alike(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || !a.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Interface().(type) {
	case token.Pos, *ast.Object, *ast.CommentGroup:
		return true
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		return alike(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// test runs the tests of the mutant's packages with its file in place of ours.
func (m mutant) test(t *testing.T) (out string, err error) {
	t.Helper()
	of, text, err := m.apply(sources(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	original, err := filepath.Abs(filepath.FromSlash(of))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: file}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-overlay=" + list, "-short", "-failfast", "-count=1", "-vet=off", "-p=1"}
	cmd := exec.Command("go", append(args, m.packages()...)...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "MEMCOST_LONG=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	got, err := cmd.CombinedOutput()
	if strings.Contains(string(got), "[build failed]") {
		t.Fatalf("mutant %q does not compile:\n%s", m.name, got)
	}
	return string(got), err
}
