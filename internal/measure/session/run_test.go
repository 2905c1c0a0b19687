package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
)

func TestCheck(t *testing.T) {
	seed := uint64(1)
	for _, tt := range []struct {
		name    string
		options Options
		want    string // in the error; "" is none
	}{
		{"nothing is given", Options{}, ""},
		{"everything is given", Options{Go: "1.25.4,local", Vary: []string{"GOGC=off", "-gcflags=-l"}, Bench: "A|B",
			Seed:  &seed,
			Shard: 1, Shards: 2, Alpha: 0.01, Budget: time.Second, Sample: time.Millisecond, Layouts: 1}, ""},
		{"a shard without a seed", Options{Shard: 1, Shards: 2}, "--shard needs --seed"},
		{"a time-out within a sample", Options{Timeout: time.Millisecond}, "--timeout must be longer than a sample"},
	} {
		err := tt.options.Check()
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		case err != nil && !hint.IsUsage(err):
			t.Errorf("%s: %v is not called the user's mistake", tt.name, err)
		}
	}
}

// A listener keeps what it is told.
type listener struct{ notes, steps []string }

func (l *listener) Note(line string)       { l.notes = append(l.notes, line) }
func (l *listener) Step(what string)       { l.steps = append(l.steps, what) }
func (l *listener) Sample(sample.Progress) {}
func (l *listener) End()                   {}

// quiet tells nobody how a session goes.
func quiet(t *testing.T) *Tools { return told(t, &listener{}) }

func told(t *testing.T, to Progress) *Tools {
	t.Helper()
	tools, err := NewTools(to, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// module makes a module with a benchmark the current folder.
func module(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.21\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkAdd(b *testing.B) {\n\tfor i " +
			":= 0; i < b.N; i++ {\n\t\tsink += i\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func samplesOf(t *testing.T, dir string) (n int) {
	t.Helper()
	if _, err := store.ReadSamples(dir, func(*benchfmt.Result) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// A run without the command line: it is begun, measured, and gone on with.
func TestRunAndResume(t *testing.T) {
	module(t)
	ctx, seed := t.Context(), uint64(7)
	r, err := Begin(ctx, quiet(t), Options{Origin: Origin{Version: "test", Command: []string{"test"}},
		Args: []string{"."}, Go: "local",
		CPU: []int{1}, Seed: &seed, Rounds: 2, Sample: time.Millisecond, Layouts: 1, NoGuards: true,
		Results: "results"})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := r.Measure(ctx)
	dir := r.Folder.Dir
	r.Close()
	if err != nil || stop != sample.OutOfRounds {
		t.Fatalf("it ended by %q, %v", stop, err)
	}
	if n := samplesOf(t, dir); n != 2 {
		t.Errorf("%d samples, want 2", n)
	}
	q, err := questionIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if o := q.Plan.Options; o.Seed != 7 || o.Profile != Quick || o.Rounds != 2 {
		t.Errorf("run.json says seed %d, profile %s, %d rounds", o.Seed, o.Profile, o.Rounds)
	}
	if r, err = Resume(ctx, quiet(t), dir, q, Options{Rounds: 5}); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if stop, err = r.Measure(ctx); err != nil || stop != sample.OutOfRounds {
		t.Fatalf("it ended by %q, %v", stop, err)
	}
	if n := samplesOf(t, dir); n != 5 {
		t.Errorf("%d samples after it was gone on with, want 5", n)
	}
}

// A folder that cannot be written to is no fault of a package's: nothing is left out.
func TestRunFolderCannotBeWritten(t *testing.T) {
	module(t)
	r, err := Begin(t.Context(), quiet(t), Options{Args: []string{"."}, Go: "local", CPU: []int{1}, Rounds: 1,
		Sample: time.Millisecond, Layouts: 1, NoGuards: true, Results: "results"})
	if err != nil {
		t.Fatal(err)
	}
	dir := r.Folder.Dir
	r.Close()
	diagnostics := filepath.Join(dir, store.DiagnosticsDir)
	if err := os.RemoveAll(diagnostics); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(diagnostics, nil, 0o666); err != nil { // no folder can be made there
		t.Fatal(err)
	}
	q, err := questionIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err = Resume(t.Context(), quiet(t), dir, q, Options{})
	defer r.Close()
	if !errors.As(err, new(*store.WriteError)) || len(r.Broken)+len(q.LeftOut) > 0 {
		t.Errorf("%v; left out: %q", err, q.LeftOut)
	}
}

// A dry run leaves nothing behind, and knows the commands of its first round.
func TestDryRun(t *testing.T) {
	module(t)
	r, err := Begin(t.Context(), quiet(t), Options{Args: []string{"."}, Go: "local", CPU: []int{1},
		Sample: time.Millisecond, Layouts: 1,
		NoGuards: true, Results: "results", DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	round, err := r.FirstRound()
	if err != nil || len(round) != 1 || !strings.Contains(round[0].Command.String(), "-test.bench=^BenchmarkAdd$") {
		t.Errorf("the first round is %v, %v", round, err)
	}
	if _, err := os.Stat("results"); err == nil {
		t.Error("a dry run made a folder for results")
	}
}

// A package without benchmarks is an error, and no run folder stays.
func TestNothingToRun(t *testing.T) {
	module(t)
	if err := os.Rename("m_test.go", "m.go.txt"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("m.go", []byte("package m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Begin(t.Context(), quiet(t), Options{Args: []string{"."}, Go: "local", Results: "results"})
	if r != nil {
		r.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "there are no benchmarks") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat("results"); err == nil {
		t.Error("the folder for results stayed")
	}
}
