package escape

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// causesCaptured are the outputs of testdata/causes, oldest toolchain first.
var causesCaptured = []string{
	"go1.13.15", "go1.14.15", "go1.15.15", "go1.16.15", "go1.17.13", "go1.18.10", "go1.19.13", "go1.20.14",
	"go1.21.13", "go1.22.12", "go1.23.12", "go1.24.13", "go1.25.4", "go1.26.8", "go1.27.4",
}

// expected is what the comment over a function of testdata/causes says.
type expected struct {
	fn, cause    string
	since, until string // "go1.17"; "" for no bound
}

// in reports whether the function puts its value on the heap in a captured version.
func (e expected) in(t *testing.T, version string) bool {
	at := func(release string) int {
		for i, v := range causesCaptured {
			if v == release || strings.HasPrefix(v, release+".") {
				return i
			}
		}
		t.Fatalf("%s: no captured version of %s", e.fn, release)
		return 0
	}
	i := at(version)
	return (e.since == "" || i >= at(e.since)) && (e.until == "" || i <= at(e.until))
}

func readExpected(t *testing.T) []expected {
	t.Helper()
	var all []expected
	files, err := filepath.Glob("testdata/causes/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Doc.Text(), "cause: ") {
				continue
			}
			e := expected{fn: fn.Name.Name}
			if fn.Recv != nil {
				e.fn = PlainName(types.ExprString(fn.Recv.List[0].Type)) + "." + e.fn
			}
			for _, line := range strings.Split(strings.TrimSpace(fn.Doc.Text()), "\n") {
				key, value, _ := strings.Cut(line, ": ")
				*map[string]*string{"cause": &e.cause, "since": &e.since, "until": &e.until}[key] = value
			}
			all = append(all, e)
		}
	}
	return all
}

func readSource(t *testing.T, dir string) *Source {
	t.Helper()
	src, err := SourceOf(os.DirFS(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Every cause is told from all others, with every captured Go, from the compiler's
// words and the source.
func TestCausesOfCaptured(t *testing.T) {
	src, all := readSource(t, "testdata/causes"), readExpected(t)
	for _, version := range causesCaptured {
		log := readCaptured(t, "causes-"+version)
		for _, e := range all {
			sites, err := Sites(log, src, "causes", e.fn)
			if err != nil {
				if e.in(t, version) {
					t.Errorf("%s: %v", version, err)
				}
				continue
			}
			found := false
			for _, s := range sites {
				found = found || s.Kind.Heap() && s.Cause.String() == e.cause
				if s.Kind.Heap() && s.Cause == Uncategorised && version != "go1.13.15" { // it gives no flow
					t.Errorf("%s: %s: %v is uncategorised: %v", version, e.fn, s, s.Steps)
				}
			}
			if found != e.in(t, version) {
				t.Errorf("%s: %s: cause %s is found: %v, want %v; %v", version, e.fn, e.cause, found, !found,
					describe(sites))
			}
		}
	}
}

func describe(sites []Site) (all []string) {
	for _, s := range sites {
		all = append(all, s.String()+" ["+s.Cause.String()+"]")
	}
	return all
}

func TestEveryCauseIsExpected(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range readExpected(t) {
		seen[e.cause] = true
	}
	for _, c := range Causes() {
		if !seen[c.String()] {
			t.Errorf("no function of testdata/causes shows the cause %s", c)
		}
		if c.Words() == "" || c.Fix() == "" {
			t.Errorf("the cause %s has no words or no fix", c)
		}
		delete(seen, c.String())
	}
	for key := range seen {
		t.Errorf("testdata/causes expects %s, which is no cause", key)
	}
}

// Without the source, the words alone still categorise what has a flow.
func TestUncategorised(t *testing.T) {
	src := readSource(t, "testdata/causes")
	for _, version := range causesCaptured {
		for _, s := range []*Source{src, nil} {
			heap, none := 0, 0
			for _, d := range readCaptured(t, "causes-"+version).Diagnostics {
				if d.Kind.Heap() {
					heap++
					if Classify(d, s) == Uncategorised {
						none++
						if s != nil {
							t.Logf("%s: uncategorised: %v: %v", version, d, d.Flow())
						}
					}
				}
			}
			if allowed := heap / 20; none > allowed && (s != nil || version != "go1.13.15") {
				t.Errorf("%s, source read: %v: %d of %d are uncategorised", version, s != nil, none, heap)
			}
		}
	}
}

// What -trimpath prints for paths changes nothing else; and //line comments, which move
// a function to another file, are followed.
func TestPathsOfCaptured(t *testing.T) {
	src := readSource(t, "testdata/causes")
	for _, version := range []string{"go1.13.15", "go1.20.14", "go1.27.4"} {
		plain, trimmed := readCaptured(t, "causes-"+version), readCaptured(t, "causes-"+version+"-trimpath")
		for _, e := range readExpected(t) {
			a, errA := Sites(plain, src, "causes", e.fn)
			b, errB := Sites(trimmed, src, "causes", e.fn)
			if (errA == nil) != (errB == nil) || len(a) != len(b) {
				t.Errorf("%s: %s has %d sites (%v), and with -trimpath %d (%v)", version, e.fn, len(a), errA, len(b),
					errB)
				continue
			}
			for i := range a {
				if a[i].Cause != b[i].Cause || a[i].Message != b[i].Message || a[i].Line != b[i].Line ||
					len(a[i].Steps) != len(b[i].Steps) {
					t.Errorf("%s: %s: %v is with -trimpath %v", version, e.fn, a[i], b[i])
				}
			}
		}
		moved, err := Sites(plain, src, "causes", "fromGrammar")
		if err != nil || len(moved) != 1 || !strings.HasSuffix(moved[0].File, "grammar.y") {
			t.Errorf("%s: the function moved by a //line comment: %v, %v", version, moved, err)
		}
	}
}

func TestFlowIsRead(t *testing.T) {
	src := readSource(t, "testdata/causes")
	for _, version := range []string{"go1.14.15", "go1.20.14", "go1.24.13", "go1.27.4"} { // " = " and " ← "
		sites, err := Sites(readCaptured(t, "causes-"+version), src, "causes", "sends")
		if err != nil || len(sites) != 1 {
			t.Fatalf("%s: %v, %v; want one site", version, sites, err)
		}
		s := sites[0]
		got := make([]string, len(s.Steps))
		for i, step := range s.Steps {
			got[i] = step.String()
		}
		line := src.Funcs["sends"][0].From
		want := []string{
			"flow: {heap} ← &v",
			"from &v (address-of) at ./causes.go:" + strconv.Itoa(line+2) + ":11",
			"from queue <- &v (send) at ./causes.go:" + strconv.Itoa(line+2) + ":8",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: flow\n%q, want\n%q", version, got, want)
		}
		if s.In != "sends" || s.Line != line+1 || s.Expr != "v" || s.Kind != MovedToHeap || s.Cause != ChannelSend {
			t.Errorf("%s: site %+v", version, s)
		}
	}
}

func TestConditional(t *testing.T) {
	src := readSource(t, "testdata/causes")
	find := func(version, fn string) (conditional, heap bool) {
		sites, err := Sites(readCaptured(t, "causes-"+version), src, "", fn)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sites {
			conditional = conditional || s.Conditional()
			heap = heap || s.Kind.Heap()
		}
		return conditional, heap
	}
	for _, tt := range []struct {
		version, fn       string
		conditional, heap bool
	}{
		{"go1.24.13", "makesVariable", false, true}, // always on the heap
		{"go1.27.4", "makesVariable", true, false},  // "does not escape", and over 32 bytes allocates
		{"go1.24.13", "appends", false, false},      // not a word
		{"go1.27.4", "appends", true, true},
		{"go1.27.4", "largeMake", false, true},
		{"go1.27.4", "panics", true, true}, // boxed only where it panics
		{"go1.17.13", "panics", true, true},
	} {
		if conditional, heap := find(tt.version, tt.fn); conditional != tt.conditional || heap != tt.heap {
			t.Errorf("%s: %s: conditional %v, heap %v; want %v and %v", tt.version, tt.fn, conditional, heap,
				tt.conditional, tt.heap)
		}
	}
}

// Where the compiler uses names of its own, the source has the expression.
func TestExprIsTheSources(t *testing.T) {
	src := readSource(t, "testdata/causes")
	for fn, want := range map[string]string{"returnsVariable": "v", "storesGlobal": "&vec{…}",
		"boxesInlined": "twice(i)"} {
		sites, err := Sites(readCaptured(t, "causes-go1.27.4"), src, "causes", fn)
		if err != nil || len(sites) != 1 || sites[0].Expr != want {
			t.Errorf("%s: %+v, %v; want the expression %q", fn, sites, err, want)
		}
	}
}

// What is called escaping and costs nothing is told from what does.
func TestStatic(t *testing.T) {
	src := readSource(t, "testdata/causes")
	for _, version := range []string{"go1.15.15", "go1.27.4"} {
		for fn, want := range map[string]bool{"boxesConstant": true, "keepsPlainLiteral": true,
			"capturesByValue": false, "boxesVariable": false} {
			sites, err := Sites(readCaptured(t, "causes-"+version), src, "causes", fn)
			if err != nil || len(sites) == 0 || sites[0].Static != want {
				t.Errorf("%s: %s: %+v, %v; want static %v", version, fn, sites, err, want)
			}
		}
	}
}

// A literal that a go statement calls is an object from Go 1.17 on; before, the variable
// that it captures is the only one.
func TestStaticLiteral(t *testing.T) {
	src := readSource(t, "testdata/causes")
	for version, want := range map[string]bool{"go1.13.15": true, "go1.16.15": true, "go1.17.13": false,
		"go1.27.4": false} {
		src.Go = version
		sites, err := Sites(readCaptured(t, "causes-"+version), src, "causes", "starts")
		if err != nil {
			t.Fatal(err)
		}
		literals := 0
		for _, s := range sites {
			if s.Subject == "func literal" {
				literals++
				if s.Static != want {
					t.Errorf("%s: %v: static %v, want %v", version, s, s.Static, want)
				}
			}
		}
		if literals != 1 {
			t.Errorf("%s: %d literals in %+v", version, literals, sites)
		}
	}
}

// A pointer is in an interface as it stands; what makes one does allocate.
func TestStaticPointer(t *testing.T) {
	src, err := SourceOf(fstest.MapFS{"a.go": {Data: []byte(`package a

var g interface{}

func f(p *int, m map[int]int, v int) {
	g = p
	g = m
	g = v
	g = make(chan int)
}
`)}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct {
		line    int
		subject string
		want    bool
	}{{6, "p", true}, {7, "m", true}, {8, "v", false}, {9, "make(chan int)", false}} {
		if got := src.static(Diagnostic{Kind: EscapesToHeap, File: "a.go", Line: d.line, Col: 4,
			Subject: d.subject}); got != d.want {
			t.Errorf("%s: static %v, want %v", d.subject, got, d.want)
		}
	}
}

func TestSitesFailLoudly(t *testing.T) {
	src, log := readSource(t, "testdata/causes"), readCaptured(t, "causes-go1.27.4")
	for _, tt := range []struct{ pkg, fn, want string }{
		{"other", "sends", "of package other: the compiler's output speaks of causes only"},
		{"causes", "nobody", "there is no such function"},
	} {
		if _, err := Sites(log, src, tt.pkg, tt.fn); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s.%s: error %v, want %q", tt.pkg, tt.fn, err, tt.want)
		}
	}
	strange := *log
	strange.Unknown, strange.UnknownLine = 1, "./causes.go:9:9: v was put somewhere"
	if _, err := Sites(&strange, src, "causes", "sends"); err == nil ||
		!strings.Contains(err.Error(), "v was put somewhere") {
		t.Errorf("a line that is not understood: error %v", err)
	}
}

func TestWithPrefix(t *testing.T) {
	f := Funcs{"in": nil, "inEscapes": nil, "out": nil}
	for prefix, want := range map[string]int{"in": 2, "in$": 1, "i$": 0, "": 3} {
		if got := f.WithPrefix(prefix); len(got) != want {
			t.Errorf("%q: %v", prefix, got)
		}
	}
}

// Causes lists all causes but Uncategorised.
func Causes() []Cause {
	var all []Cause
	for c := Uncategorised + 1; c < numCauses; c++ {
		all = append(all, c)
	}
	return all
}
