package result

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"memcost/internal/exchange"
	"memcost/internal/method/claim"
	"memcost/internal/study/language"
	"memcost/internal/testkit"
	"memcost/published"
)

// smaugStudy knows the study of the run folders in testdata.
func smaugStudy(name string) *language.Study {
	if name != "smaug" {
		return nil
	}
	st, err := language.Parse("smaug", smaug, nil)
	if err != nil {
		panic(err)
	}
	return st
}

func readFile(t testing.TB, path string) *Answer {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := ReadFile(path, f, Options{Studies: smaugStudy})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// read reads a text as ReadFile does.
func read(t testing.TB, name, text string) *Answer {
	t.Helper()
	a, err := ReadFile(name, strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var files = map[string]string{
	"old":     "testdata/files/old.txt",
	"numbers": "testdata/files/numbers.txt",
	"damaged": "testdata/files/damaged.txt",
	"samples": "testdata/healthy/samples.txt",
	"gbench":  "../../exchange/testdata/gbench.json",
	"csv":     "../../exchange/testdata/ours.csv",
}

func TestFileGolden(t *testing.T) {
	for name, path := range files {
		t.Run(name, func(t *testing.T) {
			a := readFile(t, path)
			testkit.Golden(t, filepath.Join("testdata/files", name+".answer.json"), shorten(marshal(t, a)))
			if a.Kind != File || a.Dir != path {
				t.Errorf("kind %q, dir %q", a.Kind, a.Dir)
			}
		})
	}
}

// Of the file of a run, the claims are judged by the medians: as the run judges
// them, as far as that is decided, and without an interval.
func TestFileIsJudged(t *testing.T) {
	run, err := Read("testdata/healthy", Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := readFile(t, "testdata/healthy/samples.txt")
	for i, c := range file.Studies[0].Claims {
		own := run.Studies[0].Claims[i].Verdicts[0]
		v := c.Verdicts[0]
		if v.Published || v.Status != own.Status {
			t.Errorf("%s: %s (published %v), in the run %s", c.ID, v.Status, v.Published, own.Status)
		}
		for j, e := range v.Elements {
			w := own.Elements[j]
			if e.Label != w.Label || math.Abs(float64(e.Figure.Value/w.Figure.Value)-1) > 0.05 ||
				e.Figure.Lo == e.Figure.Lo {
				t.Errorf("%s at %s: %+v, in the run %+v", c.ID, e.Label, e.Figure, w.Figure)
			}
		}
	}
	if n := len(file.Studies[0].Pictures); n == 0 {
		t.Error("no pictures")
	}
}

// Published figures stand beside a file's, and are judged without it.
func TestFileBesidePublished(t *testing.T) {
	data, err := os.ReadFile("testdata/healthy/samples.txt")
	if err != nil {
		t.Fatal(err)
	}
	weak := read(t, "weak.txt", "BenchmarkSmaug/place=stack/size=1024-2 1 100 "+
		"ns/op\nBenchmarkSmaug/place=heap/size=1024-2 1 2000 ns/op\n")
	if weak.Studies[0].Name != "weak.txt" || weak.Sides[0].Name != "weak.txt" {
		t.Errorf("suite %q, arm %q", weak.Studies[0].Name, weak.Sides[0].Name)
	}
	sets, err := published.Read(published.FS)
	if err != nil {
		t.Fatal(err)
	}
	files := published.Of(sets)("stackheap")
	a, err := ReadFile("x", bytes.NewReader(data), Options{Studies: smaugStudy, Published: func(string) []claim.File {
		return files
	}})
	if err != nil {
		t.Fatal(err)
	}
	last := a.Studies[0].Claims[4] // across machines
	if n := len(last.Verdicts); n != 1+len(files) || last.Verdicts[0].Published || !last.Verdicts[1].Published {
		t.Fatalf("%+v", last.Verdicts)
	}
	n := 0
	for _, e := range last.Verdicts[0].Elements {
		if strings.HasPrefix(e.Label, "against ") {
			n++
		}
	}
	if n != len(files) {
		t.Errorf("judged against %d of %d machines", n, len(files))
	}
	for _, v := range last.Verdicts[1:] {
		for _, e := range v.Elements {
			if e.Label == "against x" {
				t.Errorf("%s is judged against the file", v.Data)
			}
		}
	}
}

// The median and its interval are those that benchstat prints for old.txt (the
// command stands at TestCompareAgainstBenchstat): 891.2n ± 2%.
func TestFileInterval(t *testing.T) {
	c := readFile(t, "testdata/files/old.txt").Studies[0].Cases[2]
	if got := c.Time.String(); c.Name != "Decode-8" || got != "891 ns ±2%" ||
		math.Abs(float64(c.Time.Value)-891.2e-9) > 0.05e-9 {
		t.Errorf("%s %s %v", c.Name, got, c.Time.Value)
	}
	numbers := readFile(t, "testdata/files/numbers.txt").Studies[0].Cases
	for _, tt := range []struct {
		name, want string
		n          int
	}{
		{"Bad", "–", 0}, {"Once", "12.5 ns", 1}, {"Few", "13 ns ±?", 2}, {"Six", "12.5 ns ±20%", 6}, {"Rate", "–", 0},
	} {
		i := slices.IndexFunc(numbers, func(c Case) bool { return c.Name == tt.name })
		if got := numbers[i].Time; got.String() != tt.want || got.N != tt.n {
			t.Errorf("%s: %s, n = %d; want %s, %d", tt.name, got, got.N, tt.want, tt.n)
		}
	}
}

func TestNothingToReport(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "blank": "\n\n \n", "prose": "hello\nworld\n", "binary": "\x7fELF\x02\x01\x00\x00\x00\n\x00",
		"utf16": "\xff\xfeB\x00e\x00n\x00c\x00h\x00\n\x00", "pass": "PASS\nok  \texample.com/p\t0.1s\n",
		"config": "goos: linux\npkg: p\n",
		"object": "{}", "array": "[]", "gbench": `{"context":{},"benchmarks":[]}`, "csv": "name,ns/op\n",
		"bencher": `{"a":{}}`,
		"json":    `{"Time":"2026-11-21T00:00:00Z","Action":"output"}`,
		"roles":   "role: quarter\nBenchmarkX 1 2 ns/op\n",
	} {
		a, err := ReadFile(name+".txt", strings.NewReader(text), Options{})
		if err == nil {
			t.Errorf("%s: %d samples", name, a.Samples)
			continue
		}
		want := "reading " + name + ".txt: no benchmark results in it"
		if !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "Go benchmark format") {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
	if _, err := ReadFile("x", iotest.ErrReader(io.ErrUnexpectedEOF), Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// A byte order mark and Windows line ends are no damage.
func TestFileFromWindows(t *testing.T) {
	a := read(t, "w.txt", "\ufeffgoos: windows\r\npkg: p\r\nBenchmarkX-8 1 10 ns/op\r\nPASS\r\n")
	if a.Machine.OS != "windows" || a.Samples != 1 || len(a.Warnings) != 1 || a.Studies[0].Cases[0].Name != "X-8" {
		t.Errorf("%+v", a)
	}
}

// What memcost writes as CSV it reads again, side by side.
func TestOwnCSV(t *testing.T) {
	run, err := Read("testdata/arms", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := exchange.WriteRows(&b, exchange.CSV, Rows([]*Answer{run})); err != nil {
		t.Fatal(err)
	}
	a := read(t, "a.csv", b.String())
	if len(a.Sides) != 2 || a.Sides[0].Name != run.Sides[0].Name || a.Sides[1].Name != run.Sides[1].Name {
		t.Fatalf("arms %v", a.Sides)
	}
	for _, c := range a.Studies[0].Cases {
		i := slices.IndexFunc(run.Studies[0].Cases, func(x Case) bool { return x.Name == c.Name && x.Side == c.Side })
		if w := run.Studies[0].Cases[i]; c.Time.Value != w.Time.Value || c.Metrics["B/op"] != w.Metrics["B/op"] {
			t.Errorf("%s on %s: %v, wrote %v", c.Name, c.Side, c.Time.Value, w.Time.Value)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 3000)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadFile("f", bytes.NewReader(data), Options{Studies: smaugStudy})
		if err != nil {
			return
		}
		marshal(t, a)
		Rows([]*Answer{a})
	})
}
