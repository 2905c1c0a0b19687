package history

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
)

// commits are points whose code gets slower at one of them, and does not build at others.
type commits struct {
	slower int
	broken map[int]bool
	calls  []Measurement
	stop   int // interrupts the call of that number
	now    time.Time
	cancel context.CancelFunc
}

func (c *commits) measure(ctx context.Context, m Measurement) (Outcome, error) {
	c.calls = append(c.calls, m)
	c.now = c.now.Add(time.Minute)
	r := &compare.Report{}
	var at []int
	for i, p := range m.Sides {
		var n int
		fmt.Sscanf(p.Name, "c%d", &n)
		at = append(at, n)
		if c.broken[n] {
			return Outcome{}, &SideError{i, errors.New("it does not build")}
		}
		r.Sides = append(r.Sides, compare.Side{Name: p.Name})
	}
	folder := m.Resume
	if folder == "" {
		folder = filepath.Join(m.Results, fmt.Sprintf("run%d", len(c.calls)))
	}
	if err := m.Began(folder); err != nil {
		return Outcome{}, err
	}
	if len(c.calls) == c.stop {
		c.cancel()
		return Outcome{}, errors.New("half a run")
	}
	level := func(i int) float64 {
		if at[i] >= c.slower {
			return 1.25
		}
		return 1
	}
	metric := compare.Metric{Unit: "sec/op"}
	cpu := compare.Metric{Unit: "cpu-sec/op"}
	for i := 1; i < len(at); i++ {
		x := compare.Change{Verdict: compare.Equivalent, Rounds: 9}
		v := level(i) / level(0)
		x.Ratio = figures.Figure{Value: figures.Number(v), Lo: figures.Number(v * 0.995), Hi: figures.Number(v * 1.005),
			Medians: figures.Number(v)}
		if math.Abs(math.Log(v)) > 0.1 {
			x.Verdict = compare.Changed
		}
		metric.Changes = append(metric.Changes, x)
		cpu.Changes = append(cpu.Changes, x)
	}
	b := compare.Benchmark{Study: "example.com/p", Name: "Decode/size=4-2", Metrics: []compare.Metric{metric, cpu}}
	if regexp.MustCompile(strings.Split(m.Bench+"/", "/")[0]).MatchString("BenchmarkDecode") {
		r.Benchmarks = append(r.Benchmarks, b)
	}
	// Encode is new at c40.
	var missing []Missing
	for i := range m.Sides {
		if at[i] < 40 {
			missing = append(missing, Missing{Benchmark{Package: "example.com/p", Name: "Encode-2"}, i})
		}
	}
	return Outcome{r, missing}, nil
}

func newState(n int) *SearchState {
	s := &SearchState{Format: Format, Kind: Commits, Label: "nightly",
		Asked: Asked{Packages: []string{"./..."}, Margin: 0.01, Alpha: 0.05}}
	for i := range n {
		s.Points = append(s.Points, Point{Name: fmt.Sprintf("c%d", i)})
	}
	return s
}

func (c *commits) run(t *testing.T, x *Session) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.cancel, x.Measure, x.Now = cancel, c.measure, func() time.Time { return c.now }
	return x.Run(ctx)
}

func TestSession(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	c := &commits{slower: 61, broken: map[int]bool{62: true}, stop: 4}
	x, err := Begin(dir, newState(100))
	if err != nil {
		t.Fatal(err)
	}
	var told []Progress
	x.Tell = func(p Progress) { told = append(told, p) }
	err = c.run(t, x)
	if err == nil || !strings.Contains(err.Error(), "interrupted; everything measured so far is kept") ||
		!strings.Contains(err.Error(), "memcost compare --resume "+dir) {
		t.Fatalf("%v", err)
	}
	if _, err := Resume(dir); err == nil || !strings.Contains(err.Error(), "by another memcost") {
		t.Errorf("a second one: %v", err)
	}
	x.Close()
	before, err := Read(dir)
	if err != nil || before.Label != "nightly" || len(before.Steps) != 4 || before.Steps[3].Done {
		t.Fatalf("%+v, %v", before, err)
	}

	// It goes on with the step that was not finished, in its folder.
	c.stop = 0
	again, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.Tell = x.Tell
	if err := c.run(t, again); err != nil {
		t.Fatal(err)
	}
	again.Close()
	if got, want := c.calls[4].Resume, filepath.Join(dir, "run4"); got != want {
		t.Errorf("gone on with %q, want %q", got, want)
	}
	r := again.Report()
	if len(r.Series) != 1 || len(r.Series[0].Changes) != 1 || r.Series[0].Changes[0].To != 61 ||
		r.Series[0].Changes[0].Why != "" {
		t.Fatalf("%+v", r.Series)
	}
	for _, want := range []string{"c61: Decode/size=4-2 takes 1.25× [1.24, 1.26] as long from there on"} {
		if got := r.Sentence(&r.Series[0], r.Series[0].Changes[0]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for i, m := range c.calls {
		if len(m.Sides) == 3 && i != 4 && !(m.Sides[1].Name != m.Sides[0].Name) {
			t.Errorf("%+v", m.Sides)
		}
		if want := 0.05 / float64(again.Search().Tests()); m.Alpha != want {
			t.Errorf("alpha %v, want %v", m.Alpha, want)
		}
	}
	last := c.calls[len(c.calls)-1]
	if last.Bench != "^Benchmark(Decode)(-[0-9]+)?$/^(size=4)(-[0-9]+)?$" {
		t.Errorf("the last step measures %s", last.Bench)
	}
	if p := told[len(told)-1]; p.Left < 1 || p.Expect < time.Minute || !strings.Contains(p.Says, "changed Decode") {
		t.Errorf("%+v", p)
	}
	// All is found: nothing is measured.
	n := len(c.calls)
	done, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer done.Close()
	if err := c.run(t, done); err != nil || len(c.calls) != n {
		t.Errorf("%v, %d more steps", err, len(c.calls)-n)
	}
}

func TestNothingBuilds(t *testing.T) {
	c := &commits{broken: map[int]bool{}}
	for i := range 100 {
		c.broken[i] = true
	}
	x, err := Begin(filepath.Join(t.TempDir(), "history"), newState(100))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	err = c.run(t, x)
	if err == nil || !strings.Contains(err.Error(), "none of the 8 commits that were tried can be measured") ||
		!strings.Contains(err.Error(), "it does not build") {
		t.Errorf("%v", err)
	}
}

func TestDamagedState(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "history.json: it is damaged"},
		{"{}", "has format 0"},
		{`{"format":1,"kind":"moons"}`, `kind "moons"`},
		{`{"format":1,"kind":"commits"}`, "alpha 0"},
		{`{"format":1,"kind":"commits","asked":{"alpha":0.05},"points":[{"name":"a"}],"steps":[{"points":[0,1]}]}`,
			"step 1 names point 1 of 1"},
		{`{"format":1,"kind":"commits","asked":{"alpha":0.05},"points":[{"name":"a"}],"steps":[{"points":[0]}]}`,
			"step 1 has 1 points"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
		if _, err := Resume(dir); err == nil {
			t.Errorf("%s: it can be gone on with", tt.text)
		}
	}
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		names []string
		runs  []string // full names that have to match, part by part
		not   []string
	}{
		{[]string{"Decode-2"}, []string{"Decode"}, []string{"Decoder", "Encode"}},
		{[]string{"Decode/a=1-2", "Encode/b=x.y-2"}, []string{"Decode/a=1", "Encode/b=x.y"}, []string{"Decode/a=11"}},
		{[]string{"Decode/a=1-2", "Encode-2"}, []string{"Decode", "Encode"}, []string{"Other"}},
	} {
		var of []Benchmark
		for _, n := range tt.names {
			of = append(of, Benchmark{Package: "p", Name: n})
		}
		levels := strings.Split(pattern(of), "/")
		matches := func(name string) bool {
			for i, part := range strings.Split("Benchmark"+name, "/") {
				if i < len(levels) && !regexp.MustCompile(levels[i]).MatchString(part) {
					return false
				}
			}
			return true
		}
		for _, n := range tt.runs {
			if !matches(n) {
				t.Errorf("%s leaves %s out", pattern(of), n)
			}
		}
		for _, n := range tt.not {
			if matches(n) {
				t.Errorf("%s runs %s", pattern(of), n)
			}
		}
	}
}
