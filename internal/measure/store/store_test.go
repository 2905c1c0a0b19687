package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func sample(side string, round int) *benchfmt.Result {
	return &benchfmt.Result{
		Config: []benchfmt.Config{{Key: "arm", Value: []byte(side), File: true}},
		Name:   []byte("X/size=8-2"), Iters: 100,
		Values: []benchfmt.Value{{Value: 2e-9, Unit: "sec/op"}, {Value: float64(round), Unit: "round"}},
	}
}

func rounds(t *testing.T, dir string) (got []string, warnings []error) {
	t.Helper()
	warnings, err := ReadSamples(dir, func(r *benchfmt.Result) error {
		v, _ := r.Value("round")
		got = append(got, fmt.Sprint(r.GetConfig("arm"), v))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, warnings
}

func create(t *testing.T) *Folder {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteQuestion(map[string]int{"a": 1}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestAppendAndResume(t *testing.T) {
	f := create(t)
	for i := range 3 {
		if err := f.Append(sample("a", i), sample("b", i)); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	// A writer dies in the middle of a line …
	path := filepath.Join(f.Dir, SamplesFile)
	w, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	w.WriteString("\narm: a\n\nBenchmarkX/size=8-2 100 2e-")
	w.Close()
	if got, warnings := rounds(t, f.Dir); len(got) != 6 || len(warnings) != 1 {
		t.Fatalf("reading the torn file: %v, %v", got, warnings)
	}
	// … and the next one goes on.
	f, err := Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0].Error(), "not finished") {
		t.Errorf("warnings of Open: %v", f.Warnings)
	}
	if err := f.Append(sample("b", 3)); err != nil {
		t.Fatal(err)
	}
	got, warnings := rounds(t, f.Dir)
	if want := "[a0 b0 a1 b1 a2 b2 b3]"; fmt.Sprint(got) != want || len(warnings) != 0 {
		t.Errorf("got %v, want %s; warnings %v", got, want, warnings)
	}
}

func TestTwoWritersAreRefused(t *testing.T) {
	f := create(t)
	_, err := Open(f.Dir)
	var busy *BusyError
	if !errors.As(err, &busy) {
		t.Fatalf("second writer: %v, want a BusyError", err)
	}
	f.Close()
	g, err := Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
}

func TestCreateRefusesAnOldRun(t *testing.T) {
	f := create(t)
	f.Close()
	if _, err := Create(f.Dir); err == nil || !strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("got %v", err)
	}
}

func TestOpenNamesWhatIsMissing(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil ||
		!strings.Contains(err.Error(), "no such folder") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a run folder") {
		t.Errorf("got %v", err)
	}
	f := create(t) // of a run that ended while it was prepared
	f.Close()
	os.Remove(filepath.Join(f.Dir, QuestionFile))
	want := "opening run folder " + f.Dir + ": it holds no run.json: it ended while it was prepared\n" +
		"hint: nothing was measured in it: begin a new run; the folder may be removed"
	if _, err := Open(f.Dir); err == nil || err.Error() != want || !errors.Is(err, ErrNoRun) {
		t.Errorf("got %v", err)
	}
}

func TestReadQuestionNamesTheLine(t *testing.T) {
	f := create(t)
	os.WriteFile(filepath.Join(f.Dir, QuestionFile), []byte("{\n\"a\": 1,\n\"b\": oops\n}"), 0o666)
	var v map[string]int
	if err := ReadQuestion(f.Dir, &v); err == nil || !strings.Contains(err.Error(), "run.json line 3") {
		t.Errorf("got %v", err)
	}
}

func TestDamagedLinesAreNamedAndPassedOver(t *testing.T) {
	text := "arm: a\n\nBenchmarkX-2 100 5 ns/op\n\x00\x00garbage\nBenchmarkX-2 100 oops ns/op\nBenchmarkX-2 100 7 " +
		"ns/op\nPASS\nok  \tpkg\t1s\nBenchmarkX-2 100 5 n\x01/op\nBenchmarkX-2 100 5 n\xff/op\n"
	n := 0
	warnings, err := Read(strings.NewReader(text), "f.txt", func(*benchfmt.Result) error { n++; return nil })
	if err != nil || n != 2 {
		t.Fatalf("read %d results, %v", n, err)
	}
	all := errors.Join(warnings...).Error()
	for _, want := range []string{"f.txt line 4: not a line", "f.txt line 5: passed over",
		"f.txt line 9: passed over: bytes that", "f.txt line 10: passed over: bytes that"} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings %q lack %q", all, want)
		}
	}
	if len(warnings) != 4 {
		t.Errorf("%d warnings: %v", len(warnings), warnings)
	}
}

func TestFullDiskLosesNothing(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	f := create(t)
	if err := f.Append(sample("a", 0)); err != nil {
		t.Fatal(err)
	}
	good := f.samples
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.samples = full
	err = f.Append(sample("a", 1))
	f.samples = good
	full.Close()
	if err == nil || !strings.Contains(err.Error(), "disk is full") || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("got %v", err)
	}
	if got, _ := rounds(t, f.Dir); len(got) != 1 {
		t.Errorf("read back %v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("arm: a\n\nBenchmarkX-2 100 5 ns/op 1 round\n")
	f.Add("Benchmark\x00 1")
	f.Add(strings.Repeat("x", 500) + "\nBenchmarkY 1 1 B/op\n")
	f.Fuzz(func(t *testing.T, text string) {
		warnings, _ := Read(strings.NewReader(text), "fuzz", func(r *benchfmt.Result) error { return nil })
		if len(warnings) > maxWarnings+1 {
			t.Errorf("%d warnings", len(warnings))
		}
	})
}

// What the first writer's last sample had in its configuration, and the second
// writer's first has not, must not stay in force.
func TestResumeWithOtherConfiguration(t *testing.T) {
	role := func(r *benchfmt.Result, v string) *benchfmt.Result {
		r.Config = append(r.Config, benchfmt.Config{Key: "role", Value: []byte(v), File: true})
		return r
	}
	for _, torn := range []string{"", "\nrole: quarter\n\nBenchmarkX/si"} {
		f := create(t)
		if err := f.Append(role(sample("a", 0), "A'")); err != nil {
			t.Fatal(err)
		}
		f.Close()
		w, err := os.OpenFile(filepath.Join(f.Dir, SamplesFile), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.WriteString(torn)
		w.Close()
		second, err := Open(f.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := second.Append(sample("a", 1)); err != nil {
			t.Fatal(err)
		}
		second.Close()
		var roles []string
		if _, err := ReadSamples(f.Dir, func(r *benchfmt.Result) error {
			roles = append(roles, r.GetConfig("role"))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(roles) != "[A' ]" {
			t.Errorf("after %q: roles %q, want A' and none", torn, roles)
		}
	}
}
