package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// aRun has two studies of two cases each, which take turns, and so many rounds.
func aRun(name string, rounds int, change func(*plan.Question)) Source {
	q := &plan.Question{Format: plan.Format, Tool: "memcost 0.1.0", Created: time.Unix(1.7e9, 0),
		Machine: machine.Fingerprint{Hostname: "h", CPUModel: "cpu", BootID: "boot"},
		Plan: plan.Plan{Options: plan.Options{Alpha: .05}, Sides: []plan.Side{{Name: "go1"}},
			Studies: []plan.Study{{Name: "a"}, {Name: "example.com/b"}}}}
	for i := range 4 {
		q.Plan.Cases = append(q.Plan.Cases, plan.Case{Study: i / 2, Name: fmt.Sprintf("C%d", i), N: 1, Group: i})
	}
	if change != nil {
		change(q)
	}
	data, err := json.Marshal(q)
	if err != nil {
		panic(err)
	}
	src := Source{Source: store.Source{Name: name, Question: q}, JSON: data}
	src.Samples = func(fn func(*benchfmt.Result) error) ([]error, error) {
		for round := range rounds {
			for i, c := range q.Plan.Cases {
				r := &benchfmt.Result{Name: benchfmt.Name(c.Name), Iters: 1, Values: []benchfmt.Value{
					{Value: float64(i), Unit: "sec/op"}, {Value: float64(round), Unit: series.UnitRound},
					{Value: float64(i), Unit: series.UnitOrder}}}
				r.SetConfig(series.KeyStudy, q.Plan.Studies[c.Study].Name)
				r.Config[0].File = true
				if err := fn(r); err != nil {
					return nil, err
				}
			}
		}
		return []error{errors.New("a warning")}, nil
	}
	return src
}

func attempt(machine string, shard, number int, whole bool) func(*plan.Question) {
	return func(q *plan.Question) {
		q.Attempt = &plan.Attempt{Plan: "p", Machine: machine, Boot: "b", Shard: shard, Shards: 2, Number: number,
			Token: "t", Began: time.Unix(1.7e9, 0), Whole: whole}
	}
}

// packed makes a pack of runs.
func packed(t *testing.T, runs ...Source) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "x.pack")
	w, err := Create(dir, "memcost 0.1.0", time.Unix(1.7e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	for _, r := range runs {
		if _, err := w.Add(t.Context(), r, 1000); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// read returns the samples of a run as "case:round".
func read(t *testing.T, p *Pack, run int, studies ...string) string {
	t.Helper()
	src, err := p.Run(run, studies)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	if _, err = src.Samples(func(r *benchfmt.Result) error {
		round, _ := r.Value(series.UnitRound)
		out = append(out, fmt.Sprintf("%s:%v", r.Name, round))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestPack(t *testing.T) {
	dir := packed(t, aRun("one", 2, nil), aRun("two", 1, attempt("k2-m", 2, 0, true)))
	p, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := read(t, p, 0, "a", "example.com/b"); got != "C0:0 C1:0 C2:0 C3:0 C0:1 C1:1 C2:1 C3:1" {
		t.Errorf("the first run: %s", got)
	}
	if got := read(t, p, 0, "example.com/b"); got != "C2:0 C3:0 C2:1 C3:1" {
		t.Errorf("one study: %s", got)
	}
	if got := read(t, p, 1, "a"); got != "C0:0 C1:0" {
		t.Errorf("the second run: %s", got)
	}
	src, err := p.Run(1, []string{"example.com/b"})
	if err != nil {
		t.Fatal(err)
	}
	if q := src.Question; len(q.Plan.Studies) != 1 || len(q.Plan.Cases) != 2 || q.Attempt.Machine != "k2-m" ||
		q.Plan.Cases[0].Name != "C2" || q.Plan.Cases[0].Study != 0 {
		t.Errorf("the question of one study: %+v", q.Plan)
	}
	if w, err := src.Samples(func(*benchfmt.Result) error { return nil }); fmt.Sprint(w, err) != "[a warning] <nil>" {
		t.Errorf("warnings %v, %v", w, err)
	}
	x := p.Index
	kind := machine.Fingerprint{Hostname: "h", CPUModel: "cpu"}.Kind()
	var files []string
	for _, part := range x.Parts {
		files = append(files, part.File)
	}
	want := []string{"samples/study=a/kind=" + kind + "/month=2023-11/part.parquet",
		"samples/study=a/kind=k2/month=2023-11/part.parquet",
		"samples/study=example.com%2Fb/kind=" + kind + "/month=2023-11/part.parquet",
		"samples/study=example.com%2Fb/kind=k2/month=2023-11/part.parquet"}
	slices.Sort(files)
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("files %q, want %q", files, want)
	}
	if x.Samples != 12 || x.Text != 2000 || len(x.Runs) != 2 || x.Runs[0].Machine != kind+"-h" ||
		x.Runs[1].Plan != "p" {
		t.Errorf("index %+v", x)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*")); len(left) > 0 {
		t.Errorf("left beside it: %q", left)
	}
}

// The attempts of a machine are read together, and a run of its own by itself.
func TestMachines(t *testing.T) {
	p, err := Open(packed(t, aRun("one", 1, nil), aRun("again", 2, nil), aRun("a", 1, attempt("k2-m", 1, 0, true)),
		aRun("b", 1, attempt("k2-m", 2, 0, true)), aRun("c", 1, attempt("k2-n", 1, 0, true))))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := fmt.Sprint(p.Index.Machines()); got != "[[0] [1] [2 3] [4]]" {
		t.Errorf("machines %s", got)
	}
}

// What cannot be ended leaves nothing: an error of a reader, Ctrl-C, a folder that cannot be written.
func TestNothingIsLeft(t *testing.T) {
	full := fmt.Errorf("writing: %w", syscall.ENOSPC)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, test := range []struct {
		ctx  context.Context
		fail error
		want string
	}{{t.Context(), full, "the disk is full, and nothing was left there"}, {stopped, nil, "context canceled"}} {
		base := t.TempDir()
		w, err := Create(filepath.Join(base, "x.pack"), "memcost", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		src := aRun("one", 2, nil)
		samples := src.Samples
		src.Samples = func(fn func(*benchfmt.Result) error) ([]error, error) {
			w, err := samples(fn)
			return w, errors.Join(err, test.fail)
		}
		_, err = w.Add(test.ctx, src, 1)
		w.Abandon()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
		if left, _ := os.ReadDir(base); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	if _, err := Create(t.TempDir(), "memcost", time.Now()); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("over a folder: %v", err)
	}
	if _, err := Create(filepath.Join(t.TempDir(), "no", "x"), "memcost", time.Now()); err == nil {
		t.Error("made in a folder that is not there")
	}
}

// Damage is named with its file.
func TestDamage(t *testing.T) {
	for what, change := range map[string]func(dir, part string) error{
		"it is not the file": func(_, part string) error { return os.Truncate(part, 100) },
		"another end": func(_, part string) error {
			data, err := os.ReadFile(part)
			if err == nil {
				data[len(data)-40] ^= 1
				err = os.WriteFile(part, data, 0o666)
			}
			return err
		},
		"no such file":    func(_, part string) error { return os.Remove(part) },
		"the question of": func(dir, _ string) error { return os.Truncate(filepath.Join(dir, RunsFile), 100) },
	} {
		dir := packed(t, aRun("one", 2, nil))
		p, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		part := filepath.Join(dir, filepath.FromSlash(p.Index.Parts[0].File))
		if err := change(dir, part); err != nil {
			t.Fatal(err)
		}
		src, err := p.Run(0, []string{"a"})
		if err == nil {
			_, err = src.Samples(func(*benchfmt.Result) error { return nil })
		}
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), dir) {
			t.Errorf("want %q: %v", what, err)
		}
	}
	dir := packed(t, aRun("one", 1, nil))
	if err := os.WriteFile(filepath.Join(dir, IndexFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), IndexFile) {
		t.Errorf("a damaged index: %v", err)
	}
}

// A pack.json whose figures of what lies where are changed is refused, by its check, and by what its figures are
// together where somebody made it.
func TestDamagedIndex(t *testing.T) {
	dir := packed(t, aRun("one", 2, nil), aRun("two", 2, nil))
	path := filepath.Join(dir, IndexFile)
	own, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	figure := regexp.MustCompile(`"(first|samples|run)": \d+`)
	for _, without := range []bool{false, true} { // a check
		text := string(own)
		if without {
			text = regexp.MustCompile(`,\n  "check": "\w+"`).ReplaceAllString(text, "")
		}
		for _, at := range figure.FindAllStringIndex(text, -1) {
			name, _, _ := strings.Cut(text[at[0]:at[1]], ":")
			for _, to := range []string{"-1", "5", "9223372036854775807"} {
				bad := text[:at[0]] + name + ": " + to + text[at[1]:]
				if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
					t.Fatal(err)
				}
				if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), IndexFile) {
					t.Errorf("%s of %q: %v", to, text[at[0]:at[1]], err)
				}
			}
		}
	}
}

// Of an attempt that was interrupted the last round is told from the others; the columns are those that
// docs/fleet.md names.
func TestColumns(t *testing.T) {
	for whole, want := range map[bool]string{
		true:  "C0 0 0 true, C1 1 0 true, C0 4 1 true, C1 5 1 true",
		false: "C0 0 0 true, C1 1 0 true, C0 4 1 false, C1 5 1 false",
	} {
		dir := packed(t, aRun("one", 2, attempt("k2-m", 1, 3, whole)))
		rows, err := parquet.ReadFile[struct {
			Case     string `parquet:"case"`
			Sample   int64  `parquet:"sample"`
			Round    int64  `parquet:"round"`
			Complete bool   `parquet:"complete"`
			Machine  string `parquet:"machine"`
			Boot     string `parquet:"boot"`
			Shard    int64  `parquet:"shard"`
			Attempt  int64  `parquet:"attempt"`
		}](filepath.Join(dir, SamplesDir, "study=a", "kind=k2", "month=2023-11", "part.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%s %d %d %v", r.Case, r.Sample, r.Round, r.Complete))
			if r.Machine != "k2-m" || r.Boot != "b" || r.Shard != 1 || r.Attempt != 3 {
				t.Errorf("identity %+v", r)
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("whole %v: %s, want %s", whole, s, want)
		}
	}
}
