package blocks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/report/result"
	"memcost/internal/show/html"
	"memcost/internal/study/language"
	"memcost/published"
	"memcost/study"
)

// A bench is a case of a made-up run: what it costs.
type bench struct {
	name                       string // with its GOMAXPROCS suffix
	sec, bytes, allocs, spread float64
}

// A madeStudy is a study of a made-up run.
type madeStudy struct {
	name       string
	directives []language.Directive
	show       *language.Show
	cases      []bench
}

// A folder is a run folder to be made up. The same one gives the same bytes.
type folder struct {
	cpu     string
	rounds  int
	studies []madeStudy
	edit    func(q *plan.Question)
}

func (x *folder) write(t testing.TB, dir string) {
	t.Helper()
	q := &plan.Question{
		Format: plan.Format, Tool: "memcost 0.0.0", Created: time.Date(2026, 11, 21, 10, 15, 30, 0, time.UTC),
		Command: []string{"memcost", "run"},
		Machine: machine.Fingerprint{Hostname: "fixture", OS: "linux", Arch: "amd64", CPUModel: x.cpu, CPUs: 2,
			MemoryBytes: 8 << 30,
			Caches: []machine.Cache{{Level: 1, Type: "Data", Bytes: 48 << 10},
				{Level: 2, Type: "Unified", Bytes: 1 << 20}}},
		Plan: plan.Plan{
			Options: plan.Options{Profile: "quick", Seed: 1, Alpha: plan.Alpha, Precision: plan.QuickPrecision},
			Sides:   []plan.Side{{Name: "go1.26.8", Toolchain: "go1.26.8"}},
		},
	}
	var samples bytes.Buffer
	w, rng := bufio.NewWriter(&samples), rand.New(rand.NewPCG(1, 2))
	for i, s := range x.studies {
		q.Plan.Studies = append(q.Plan.Studies, plan.Study{Name: s.name, Pkg: s.name, Directives: s.directives,
			Show: s.show})
		q.Builds = append(q.Builds, plan.Build{Study: i})
		fmt.Fprintf(w, "goos: linux\ngoarch: amd64\nstudy: %s\ntoolchain: go1.26.8\n\n", s.name)
		for _, c := range s.cases {
			q.Plan.Cases = append(q.Plan.Cases, plan.Case{Study: i, Name: c.name,
				Base: c.name[:strings.LastIndexByte(c.name, '-')], Procs: 2, N: 1000, Group: len(q.Plan.Cases)})
			for round := range x.rounds {
				cost := c.sec * math.Exp((0.02+c.spread)*rng.NormFloat64())
				fmt.Fprintf(w, "Benchmark%s 1000 %.6g ns/op %g B/op %g allocs/op %.6g wall-sec %d round %d order\n",
					c.name, cost*1e9, c.bytes, c.allocs, cost*1000+0.007, round, len(q.Plan.Cases)%5)
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	if x.edit != nil {
		x.edit(q)
	}
	run, err := json.MarshalIndent(q, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, store.QuestionFile), run)
	put(t, filepath.Join(dir, store.SamplesFile), samples.Bytes())
}

func put(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// read returns the answer of a run folder, as the page shows it.
func read(t testing.TB, dir string) *result.Answer {
	t.Helper()
	sets, err := published.Read(published.FS)
	if err != nil {
		t.Fatal(err)
	}
	a, err := result.Read(dir, result.Options{Published: published.Of(sets), Evidence: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// fixture returns the answer of one of the run folders that package result keeps.
func fixture(t testing.TB, name string) *result.Answer {
	return read(t, filepath.Join("..", "..", "report", "result", "testdata", name))
}

// made returns the answer of a made-up run folder.
func made(t testing.TB, x *folder) *result.Answer {
	dir := filepath.Join(t.TempDir(), "run")
	x.write(t, dir)
	return read(t, dir)
}

func render(t testing.TB, answers ...*result.Answer) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, Page(answers, frontOf(t, answers...))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// stackheap is the shipped study, with the cases that others published of it.
var stackheap = sync.OnceValues(func() (madeStudy, error) {
	studies, err := language.ReadAll(study.FS)
	if err != nil {
		return madeStudy{}, err
	}
	sets, err := published.Read(published.FS)
	if err != nil {
		return madeStudy{}, err
	}
	s := madeStudy{name: "stackheap"}
	for _, x := range studies {
		if x.Name == s.name {
			s.directives, s.show = x.Directives, x.Show
		}
	}
	for _, r := range published.Of(sets)(s.name)[0].Results {
		name, _, _ := strings.Cut(string(r.Name), "-")
		c := bench{name: name + "-2", spread: 0.02}
		if c.sec, _ = r.Value("sec/op"); strings.Contains(name, "place=heap") {
			c.allocs, c.bytes = 1, max(16, sizeOf(r))
		}
		s.cases = append(s.cases, c)
		if strings.Contains(name, "Smaug/place=stack") {
			s.cases = append(s.cases, bench{name: fmt.Sprintf("Copy/size=%.0f-2", sizeOf(r)), sec: c.sec / 2})
		}
	}
	return s, nil
})

func sizeOf(r *benchfmt.Result) float64 {
	for _, k := range language.Keys(r.Name) {
		var x float64
		if n, _ := fmt.Sscan(k.Value, &x); k.Key == "size" && n == 1 {
			return x
		}
	}
	return 0
}

// shipped returns a run of the shipped study.
func shipped(t testing.TB) *result.Answer {
	s, err := stackheap()
	if err != nil {
		t.Fatal(err)
	}
	return made(t, &folder{cpu: "Fixture 9000", rounds: 14, studies: []madeStudy{s}})
}

// fiveStudies returns a run of five studies, each as large as the shipped one.
func fiveStudies(t testing.TB) *result.Answer {
	s, err := stackheap()
	if err != nil {
		t.Fatal(err)
	}
	x := &folder{cpu: "Fixture 9000", rounds: 12, studies: []madeStudy{s}}
	for _, name := range []string{"escape", "maps", "pools", "strings"} {
		s.name = name
		x.studies = append(x.studies, s)
	}
	return made(t, x)
}

// plain returns cases of a package that says nothing about itself.
func plain(n int) madeStudy {
	s := madeStudy{name: "example.com/plain"}
	for i := range n {
		s.cases = append(s.cases, bench{name: fmt.Sprintf("Plain/kind=%d/n=%d-2", i%40, 1+i/40),
			sec: 1e-9 * float64(i+1)})
	}
	return s
}
