package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/stacklog"
)

// ends are programs that grow stacks and end in different ways.
const endsSource = `package main // of the test

import (
	"log"
	"os"
	"time"
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
	done := make(chan byte)
	for i := 0; i < 100; i++ {
		go func() { done <- deep(100) }()
	}
	for i := 0; i < 100; i++ {
		<-done
	}
	switch os.Args[1] {
	case "exit":
		os.Exit(3)
	case "fatal":
		log.Fatal("own words")
	case "panic":
		panic("oh no")
	case "wait":
		println("waiting")
		time.Sleep(time.Hour)
	}
}
`

// traced runs a program that traces itself, and reads what it recorded.
func traced(t *testing.T, p LoggedProgram, c proc.Cmd, marks bool) (log, trace *stacklog.Log, res proc.Result) {
	t.Helper()
	c.Path, c.Dir = p.Path, p.Dir
	file := filepath.Join(t.TempDir(), "trace")
	c.Env = proc.CleanEnv(os.Environ(), "GODEBUG=traceallocfree=1", TraceVar+"="+file)
	o := stacklog.Options{}
	if marks {
		c.Env = append(c.Env, MarksVar+"=1")
		o.From, o.Until = TraceBegins, TraceEnds
	}
	requestR, requestW := pipe(t)
	doneR, doneW := pipe(t)
	c.Files = []*os.File{requestR, doneW}
	c.Stopping = func() {
		requestW.Close()
		doneW.Close()
		doneR.Read(make([]byte, 1))
	}
	text, res := logOf(t, c)
	log = read(t, text, o)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if trace, err = stacklog.ReadTrace(f, stacklog.Options{}); err != nil {
		t.Fatal(err)
	}
	return log, trace, res
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// A program that traces itself tells of the stacks of its main part, however it
// ends but by a panic; and in one run the log says the same.
func checkStackTrace(t *testing.T, tc Toolchain) {
	t.Helper()
	dir := userModule(t, false, true)
	if err := writeFile(filepath.Join(dir, "ends", "main.go"), []byte(endsSource)); err != nil {
		t.Fatal(err)
	}
	b := builder(t, t.TempDir())
	spec := StackLogBuild{Toolchain: tc, Dir: dir, Packages: []string{"./ends", "./traced", "./tested"},
		Env: []string{"GOWORK=off"}, Record: StackTrace}
	only, err := b.BuildStackLog(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Record = StackLogTrace
	both, err := b.BuildStackLog(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if len(only.Programs) != 3 || len(both.Programs) != 3 || filepath.Base(only.Programs[0].Path) != "ends"+exe ||
		filepath.Base(only.Programs[2].Path) != "tested.test"+exe {
		t.Fatalf("built %+v and %+v", only, both)
	}
	for _, way := range []string{"return", "exit", "fatal", "wait"} {
		c := proc.Cmd{Args: []string{way}}
		if way == "wait" {
			c.Timeout, c.Grace = 2e9, 2e9
		}
		log, trace, res := traced(t, both.Programs[0], c, true)
		if err := stacklog.Agree(log, trace, 0.01); err != nil || trace.Grows.N < 100 ||
			len(trace.Warnings)+len(log.Warnings) > 0 {
			t.Errorf("%s ends by %s: %d growths, %v, warnings %v, %v", tc.Version, way, trace.Grows.N, err,
				trace.Warnings, log.Warnings)
		}
		if want := map[string]int{"exit": 3, "fatal": 1, "wait": -1}[way]; res.ExitCode != want ||
			res.TimedOut != (way == "wait") {
			t.Errorf("%s ends by %s: %+v", tc.Version, way, res)
		}
		if _, alone, res := traced(t, only.Programs[0], c, false); alone.Grows.N < 100 ||
			strings.Contains(string(res.Stderr), "memcost") {
			t.Errorf("%s ends by %s: %+v\n%s", tc.Version, way, alone, res.Stderr)
		}
	}
	if _, _, res := traced(t, only.Programs[0], proc.Cmd{Args: []string{"panic"}}, false); res.ExitCode != 2 ||
		!strings.Contains(string(res.Stderr), "panic: oh no") {
		t.Errorf("%s: %+v", tc.Version, res)
	}
	if log, trace, _ := traced(t, both.Programs[2], proc.Cmd{}, true); stacklog.Agree(log, trace, 0.01) != nil ||
		trace.Allocs.N == 0 {
		t.Errorf("%s, tests: %+v", tc.Version, stacklog.Compare(log, trace))
	}
}

func TestStackTrace(t *testing.T) { checkStackTrace(t, local(t)) }

func TestStackTraceVersions(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") != "1" {
		t.Skip("make test-long runs this")
	}
	for _, v := range []string{"1.23.12", "1.24.13", "1.25.14", "1.27.4"} {
		t.Run(v, func(t *testing.T) { checkStackTrace(t, needs(t, v)) })
	}
}

func TestStackTraceRefuses(t *testing.T) {
	tc := local(t)
	tc.Version = "go1.22.12"
	_, err := builder(t, t.TempDir()).BuildStackLog(t.Context(), StackLogBuild{Toolchain: tc, Dir: ".",
		Packages: []string{"."}, Record: StackTrace})
	if err == nil || !strings.Contains(err.Error(), "from Go 1.23 on\nhint: ") {
		t.Error(err)
	}
}

func TestImportTrace(t *testing.T) {
	for source, want := range map[string]string{
		"// c\npackage main // d\n\nimport \"C\"\n": "// c\npackage main; import _ \"runtime/trace\" // d\n\nimport " +
			"\"C\"\n",
		"package main; func main() {}":         "package main; import _ \"runtime/trace\"; func main() {}",
		"//go:build x\n\npackage /* m */ main": "//go:build x\n\npackage /* m */ main; import _ \"runtime/trace\"",
	} {
		if got, err := importTrace([]byte(source)); err != nil || string(got) != want {
			t.Errorf("%v\n%s", err, got)
		}
	}
	if _, err := importTrace([]byte("no Go")); err == nil {
		t.Error("no error")
	}
}
