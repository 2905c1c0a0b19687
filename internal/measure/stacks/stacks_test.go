package stacks

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/stacklog"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
)

const toolSource = `package main // of the test

import (
	"fmt"
	"io"
	"os"
)

//go:noinline
func deep(n int) byte {
	var frame [512]byte
	frame[n%512] = byte(n)
	if n > 0 {
		frame[0] += deep(n - 1)
	}
	return frame[n%512]
}

func main() {
	b, _ := io.ReadAll(os.Stdin)
	fmt.Println("deep said", deep(150), "of", len(b), "bytes")
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "failing as asked")
		os.Exit(3)
	}
}
`

// recorder returns one for the folder of a module with a program, a package of tests and
// a package of neither, which is the current folder of the test.
func recorder(t *testing.T, o Options) *Recorder {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module user\n\ngo 1.21\n", "tool/main.go": toolSource,
		"input":      "twelve bytes",
		"lib/lib.go": "package lib\n", "lib/lib_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestA(t " +
			"*testing.T) {}\n", "none/none.go": "package none\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	runner := new(proc.Runner)
	o.Versions = append(o.Versions, "local")
	return &Recorder{Options: o, Runner: runner, Finder: &toolchain.Finder{Runner: runner},
		Builder: &toolchain.Builder{Runner: runner, CacheDir: t.TempDir()}}
}

// record builds and runs everything.
func record(t *testing.T, r *Recorder) []*Run {
	t.Helper()
	runs, err := r.Build(t.Context())
	if err == nil {
		err = r.Record(t.Context(), runs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// A program's stacks, its words and how it ended; its log can be kept and read again.
func TestRecord(t *testing.T) {
	var notes, words bytes.Buffer
	r := recorder(t, Options{Packages: []string{"./tool", "./none"}, Stdin: "input", Output: &words, KeepLog: "kept"})
	r.Note = func(text string) { notes.WriteString(text) }
	started := 0
	r.Start = func(*Run) { started++ }
	runs := record(t, r)
	if len(runs) != 1 || started != 1 || !strings.Contains(notes.String(), "user/none is no program") {
		t.Fatalf("%d runs, %d started, notes %q", len(runs), started, notes.String())
	}
	run := runs[0]
	if run.Name != "user/tool" || !strings.HasPrefix(run.Ended, "exit status 0 after ") || r.Err(runs) != nil ||
		!strings.HasSuffix(words.String(), " of 12 bytes\n") || strings.Count(words.String(), "\n") != 1 {
		t.Errorf("%s ended: %s; %v; it wrote %q", run.Name, run.Ended, r.Err(runs), words.String())
	}
	if run.Log.Largest != 128<<10 || run.Log.Damaged != 0 ||
		!slices.ContainsFunc(run.Log.Sites, func(s stacklog.Site) bool { return s.Func == "main.deep" }) {
		t.Errorf("largest stack %d, sites %+v", run.Log.Largest, run.Log.Sites)
	}
	kept, err := os.Open("kept")
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	again, err := Read(kept, "kept", run.Program.Path)
	if err != nil || again.Log.Grows != run.Log.Grows || !slices.Equal(again.Log.Sites, run.Log.Sites) ||
		again.Title() != "kept" || again.Facts() != nil {
		t.Errorf("read again: %v, %+v", err, again)
	}
}

// A program that fails is a run that failed; an input that is not there keeps one
// from being run, and so does the end of the context.
func TestRecordFails(t *testing.T) {
	r := recorder(t, Options{Packages: []string{"./tool"}, Arguments: []string{"fail"}})
	runs := record(t, r)
	err := r.Err(runs)
	if err == nil || !strings.Contains(err.Error(), "exit status 3; its last output:\n\tfailing as asked") ||
		runs[0].Log.Grows.N == 0 {
		t.Errorf("%v, %+v", err, runs[0])
	}
	r.Stdin = "nowhere"
	if err := r.Record(t.Context(), runs); err == nil ||
		!strings.Contains(err.Error(), "--stdin nowhere: no such file or directory\nhint: ") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Record(ctx, runs); err != nil || runs[0].Ended != "not run" {
		t.Errorf("%v, %s", err, runs[0].Ended)
	}
	r.Versions = []string{"local", "1.26.99x"}
	var left []string
	r.LeftOut = func(text string) { left = append(left, text) }
	if runs, err := r.Build(t.Context()); err != nil || len(runs) != 1 || len(left) != 1 ||
		!strings.HasPrefix(left[0], "Go 1.26.99x: ") {
		t.Errorf("%v, %d runs, left out %q", err, len(runs), left)
	}
}

// Tests that match nothing are not passed off as a quiet program.
func TestRecordIdle(t *testing.T) {
	r := recorder(t, Options{Packages: []string{"./lib"}, Tests: "Nothing"})
	runs := record(t, r)
	if err := r.Err(runs); err == nil || !strings.HasPrefix(err.Error(), "no test matches --run Nothing\nhint: ") ||
		len(runs[0].Notes) != 1 {
		t.Errorf("%v, notes %q", err, runs[0].Notes)
	}
	if c := r.Command(runs[0]); !strings.HasSuffix(c.String(), "-test.run=Nothing") || c.Dir != runs[0].Program.Dir {
		t.Errorf("command %v in %s", c, c.Dir)
	}
	r.Bench, r.BenchTime, r.Tests, r.Recording = "X", "7x", "", toolchain.StackTrace
	if c := r.Command(runs[0]); !slices.Equal(c.Args, []string{"-test.bench=X", "-test.benchtime=7x",
		"-test.run=^$"}) || !slices.Contains(c.Env, "GODEBUG=traceallocfree=1") {
		t.Errorf("command %v", c)
	}
}

// The log and the trace of one run agree.
func TestRecordBoth(t *testing.T) {
	r := recorder(t, Options{Packages: []string{"./tool"}, Recording: toolchain.StackLogTrace})
	run := record(t, r)[0]
	if !run.Agrees || len(run.Check) == 0 || len(run.Failed) > 0 || run.Log.Trace {
		t.Errorf("%+v, failed %v", run.Check, run.Failed)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{"words\n": "no line of 1 is one of the runtime's stack log",
		"go 1.23 trace\x00\x00\x00": "the trace cannot be read further"} {
		if r, err := Read(strings.NewReader(text), "x", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %+v", text, err, r)
		}
	}
}

// What all of the study's programs recorded with their logs is judged.
func TestJudges(t *testing.T) {
	all := Options{Programs: StudyPrograms()}
	traced, own := all, all
	traced.Recording, own.Packages = toolchain.StackTrace, []string{"."}
	if len(all.Programs) != 6 || !all.Judges() || traced.Judges() || own.Judges() ||
		(Options{Programs: all.Programs[:1]}).Judges() {
		t.Errorf("judged: %v", all.Programs)
	}
	log, err := stacklog.Read(strings.NewReader("stackalloc 2048\n  allocated 0xc000000800\n"), stacklog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log.Largest = 2 << 20
	runs := []*Run{{Name: "hello", Toolchain: "go1.27.4", Log: log}, {Name: "hello", Toolchain: "go1.9", Log: log},
		{Name: "slice", Toolchain: "go1.9", Failed: []error{os.ErrClosed}}}
	var q plan.Question
	Sides(&q, runs)
	if len(q.Plan.Sides) != 2 || q.Plan.Sides[0].Name != "go1.9" || len(q.Warnings) != 1 ||
		!strings.HasPrefix(q.Warnings[0], "slice with go1.9: ") {
		t.Errorf("%+v, %q", q.Plan.Sides, q.Warnings)
	}
	var records bytes.Buffer
	if err := WriteRecords(&records, runs); err != nil ||
		strings.Count(records.String(), "BenchmarkStackGrowth/program=hello 1 ") != 2 ||
		!strings.Contains(records.String(), "toolchain: go1.27.4\n") {
		t.Errorf("%v\n%s", err, records.String())
	}
	text, err := json.Marshal(Answers(runs))
	if err != nil || strings.Count(string(text), `"advice":["A stack grew to 2 MiB`) != 2 ||
		!strings.Contains(string(text), `"failed":["file already closed"]`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// Of what a program writes the beginnings of lines are looked at, and the end is
// remembered.
func TestStream(t *testing.T) {
	var to strings.Builder
	var lines []string
	s := stream{to: &to, each: func(line []byte) { lines = append(lines, string(line)) }}
	long := strings.Repeat("x", 5*lastBytes)
	for _, part := range []string{"one\ntw", "o", "\n", long, "\nend\n"} {
		s.Write([]byte(part))
	}
	if to.String() != "one\ntwo\n"+long+"\nend\n" ||
		!slices.Equal(lines, []string{"one", "two", long[:lineStart], "end"}) {
		t.Errorf("passed on %d bytes; lines %.300q", to.Len(), lines)
	}
	if last := string(s.last()); last != "end\n" {
		t.Errorf("last %.100q", last)
	}
	m, out, err := messages{}, stream{}, stream{}
	m.listen(&out, &err, true)
	err.Write([]byte("panic: oh no\n\ngoroutine 1 [running]:\n" + strings.Repeat("\tframe\n", 30)))
	out.Write([]byte("BenchmarkX 1\n"))
	if end := string(m.ending(&err)); !strings.HasPrefix(end, "panic: oh no\n…\n\tframe\n") || !m.benchmarks ||
		m.idle(Options{Bench: "X"}) != "" {
		t.Errorf("%+v, ending %q", m, end)
	}
}
