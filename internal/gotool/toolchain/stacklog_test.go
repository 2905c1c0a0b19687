package toolchain

import (
	"go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/stacklog"
)

// programs are the study's own.
var programs = filepath.Join("..", "..", "..", "study", "stackgrowth", "programs")

// stackLog builds the programs of a module and runs them: import path → what
// was built, and its log.
func stackLog(t *testing.T, b bench, spec StackLogBuild) (map[string]LoggedProgram, map[string]string) {
	t.Helper()
	built, err := b.BuildStackLog(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	programs, logs := map[string]LoggedProgram{}, map[string]string{}
	for _, p := range built.Programs {
		programs[p.ImportPath], logs[p.ImportPath] = p, runLogged(t, p)
		if dir := os.Getenv("MEMCOST_CAPTURE"); dir != "" { // how internal/gotool/stacklog's testdata was made
			name := spec.Toolchain.Version + "-" + filepath.Base(p.ImportPath) + ".log"
			if err := os.WriteFile(filepath.Join(dir, name), []byte(logs[p.ImportPath]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return programs, logs
}

// runLogged is the log of a program that must succeed.
func runLogged(t *testing.T, p LoggedProgram, args ...string) string {
	t.Helper()
	log, res := logOf(t, proc.Cmd{Path: p.Path, Args: args, Dir: p.Dir, Env: proc.CleanEnv(os.Environ(),
		"GODEBUG=traceallocfree=1")})
	if err := res.Err("running " + p.Path); err != nil {
		t.Fatal(err)
	}
	if StackLogAlone && strings.Contains(string(res.Stderr), "stackalloc") {
		t.Errorf("%s logs to standard error: %s", p.Path, res.Stderr)
	}
	return log
}

// logOf runs a program, and returns its log and what else it wrote.
func logOf(t *testing.T, c proc.Cmd) (log string, res proc.Result) {
	t.Helper()
	c.Limit = 64 << 20
	res, err := RunLogged(t.Context(), new(proc.Runner), c, func(r io.Reader) {
		text, err := io.ReadAll(r)
		if log = string(text); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return log, res
}

func read(t *testing.T, log string, o stacklog.Options) *stacklog.Log {
	t.Helper()
	l, err := stacklog.Read(strings.NewReader(log), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// userModule is a module of a user's with the study's programs, a program in
// cgo, one that traces itself, a package with a test, and one with neither.
func userModule(t *testing.T, cgo, trace bool) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(programs)); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"go.mod":           "module user\n\ngo 1.13\n",
		"tested/a_test.go": "package tested\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Log(\"own\") }\n",
		"tested/tested.go": "package tested\n",
		"library/empty.go": "package library\n",
	}
	if trace {
		source, err := os.ReadFile("testdata/traced.go.txt")
		if err != nil {
			t.Fatal(err)
		}
		files["traced/main.go"] = string(source)
	}
	if cgo {
		files["c/main.go"] = "package main\n\n// static int seven(void) { return 7; }\nimport \"C\"\n\nimport " +
			"\"fmt\"\n\nfunc main() { fmt.Println(C.seven()) }\n"
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func hasCompiler() bool {
	_, err := exec.LookPath("gcc")
	return err == nil
}

func checkStackLog(t *testing.T, tc Toolchain, cgo bool) {
	t.Helper()
	spec := StackLogBuild{Toolchain: tc, Dir: userModule(t, cgo, version.Compare(tc.Version, "go1.23") >= 0),
		Packages: []string{"./..."}, Env: []string{"GOWORK=off"}}
	if cgo {
		spec.Env = append(spec.Env, "CGO_ENABLED=1")
	}
	programs, logs := stackLog(t, builder(t, t.TempDir()), spec)
	want := []string{"user/empty", "user/hello", "user/goroutines", "user/sequence", "user/array", "user/slice",
		"user/tested"}
	if version.Compare(tc.Version, "go1.23") >= 0 {
		want = append(want, "user/traced")
	}
	if cgo {
		want = append(want, "user/c")
	}
	if len(logs) != len(want) {
		t.Errorf("%d programs logged, want %v", len(logs), want)
	}
	for _, name := range want {
		if !strings.Contains(logs[name], "stackalloc 2048\n") {
			t.Errorf("%s logs no allocation: %.200q", name, logs[name])
		}
		heap := name == "user/array" && version.Compare(tc.Version, "go1.24") >= 0 // there is nothing to grow for
		if name != "user/empty" && !heap && !grows(t, programs[name], logs[name]) {
			t.Errorf("%s logs no growth: %.200q", name, logs[name])
		}
	}
	checkSlice(t, tc, programs["user/slice"], logs["user/slice"])
	if version.Compare(tc.Version, "go1.23") >= 0 {
		checkTraced(t, programs["user/traced"])
	}
}

// grows reports whether a program that was run has a growth in its log, or has one
// when it is run again: with Go 1.21, hello has none in one run of six, by the log of
// an otherwise unchanged runtime too.
func grows(t *testing.T, p LoggedProgram, log string) bool {
	t.Helper()
	for range 10 {
		if strings.Contains(log, "copystack gp=0x") {
			return true
		}
		log = runLogged(t, p)
	}
	return false
}

// checkSlice checks that what the slice of 64 KiB does to the stack of main is
// read and ascribed to the function that has it.
func checkSlice(t *testing.T, tc Toolchain, p LoggedProgram, log string) {
	t.Helper()
	l := read(t, log, stacklog.Options{})
	binary, err := os.Open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Close()
	hook, err := stacklog.Symbols(binary)
	if err != nil {
		t.Fatal(err)
	}
	l.Symbolise(hook)
	steps := 1
	if version.Compare(tc.Version, "go1.15") < 0 {
		steps = 6 // one doubling at a time
	}
	for _, s := range l.Sites {
		if s.Func == "main.work" && s.Caller == "main.main" && filepath.Base(s.File) == "main.go" &&
			s.CallerLine == 20 && s.To == 128<<10 && s.N <= int64(steps) && s.N > 0 {
			return
		}
	}
	t.Errorf("%s: no growth of main.work to 128 KiB in at most %d steps:\n%+v", tc.Version, steps, l)
}

// checkTraced checks that the log and the trace of one run agree.
func checkTraced(t *testing.T, p LoggedProgram) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	log := runLogged(t, p, path)
	l := read(t, log, stacklog.Options{From: "trace begins", Until: "trace ends"})
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	traced, err := stacklog.ReadTrace(file, stacklog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := stacklog.Agree(l, traced, 0.01); err != nil || traced.Grows.N < 700 || traced.Shrinks.N < 100 {
		t.Errorf("%d growths and %d shrinks in the trace: %v", traced.Grows.N, traced.Shrinks.N, err)
	}
}

func TestStackLog(t *testing.T) {
	checkStackLog(t, local(t), hasCompiler())
}

// everyMinor are the releases, each by its last patch.
var everyMinor = []string{"1.13.15", "1.14.15", "1.15.15", "1.16.15", "1.17.13", "1.18.10", "1.19.13", "1.20.14",
	"1.21.13", "1.22.12", "1.23.12", "1.24.13", "1.25.14", "1.26.11", "1.27.4"}

func TestStackLogVersions(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") != "1" {
		t.Skip("make test-long runs this")
	}
	for _, v := range everyMinor {
		t.Run(v, func(t *testing.T) { checkStackLog(t, needs(t, v), hasCompiler()) })
	}
}

// Every statement becomes one call, and no line of the file moves. A runtime of
// which one is missing, or there twice, is refused.
func TestPatchStackLog(t *testing.T) {
	original, err := os.ReadFile(filepath.Join(local(t).GOROOT, "src", "runtime", "stack.go"))
	if err != nil {
		t.Fatal(err)
	}
	source := string(original)
	got, err := patchStackLog(source)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(got, "\n") != strings.Count(source, "\n") || strings.Count(got, "memcost") != len(stackLogEdits)+
		2 || !strings.Contains(got, "stackDebug       = 1") {
		t.Errorf("patched:\n%s", got)
	}
	others := []string{"", strings.Replace(source, "       = 0", "       = 2", 1), source + source,
		strings.ReplaceAll(source, "goroutine stack exceeds", "stack exceeds")}
	for _, e := range stackLogEdits {
		others = append(others, strings.Replace(source, e.old, "", 1), strings.Replace(source, e.old, e.old+"; "+e.old,
			1))
	}
	for i, other := range others {
		if _, err := patchStackLog(other); err == nil {
			t.Errorf("source %d was patched", i)
		}
	}
}

// A toolchain whose runtime has not the expected line, or no source.
func TestStackLogOfAnotherRuntime(t *testing.T) {
	tc := local(t)
	spec := StackLogBuild{Toolchain: tc, Dir: userModule(t, false, false), Packages: []string{"./empty"},
		Env: []string{"GOWORK=off"}}
	spec.Toolchain.GOROOT = t.TempDir()
	path := filepath.Join(spec.Toolchain.GOROOT, "src", "runtime", "stack.go")
	if _, err := builder(t, t.TempDir()).BuildStackLog(t.Context(), spec); err == nil ||
		!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "hint:") {
		t.Error(err)
	}
	if err := writeFile(path, []byte("package runtime\n\nconst stackDebug = false\n")); err != nil {
		t.Fatal(err)
	}
	_, err := builder(t, t.TempDir()).BuildStackLog(t.Context(), spec)
	if err == nil || !strings.Contains(err.Error(), path+" is not as expected") ||
		!strings.Contains(err.Error(), tc.Version) {
		t.Error(err)
	}
}

func TestStackLogRefuses(t *testing.T) {
	dir := userModule(t, false, false)
	if err := writeFile(filepath.Join(dir, "broken", "main.go"),
		[]byte("package main\n\nfunc main() { undefined1() }\n")); err != nil {
		t.Fatal(err)
	}
	b := builder(t, t.TempDir())
	for _, c := range []struct {
		packages, flags []string
		want            string
	}{
		{[]string{"./library"}, nil, "none of them is a program or has test files"},
		{[]string{"./broken"}, nil, "undefined1"},
		{[]string{"./nowhere"}, nil, "nowhere"},
		{[]string{"./empty"}, []string{"-overlay=x.json"}, "-overlay of its own"},
		{[]string{"./empty"}, []string{"-nonsense"}, "hint: "},
	} {
		_, err := b.BuildStackLog(t.Context(), StackLogBuild{Toolchain: local(t), Dir: dir, Packages: c.packages,
			Flags: c.flags, Env: []string{"GOWORK=off"}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v, want %q", c.packages, c.flags, err, c.want)
		}
	}
}

// A program of one file, and the second build of it.
func TestStackLogOfFile(t *testing.T) {
	b := builder(t, t.TempDir())
	spec := StackLogBuild{Toolchain: local(t), Dir: filepath.Join(userModule(t, false, false), "hello"),
		Packages: []string{"main.go"}, Env: []string{"GOWORK=off"}}
	first, logs := stackLog(t, b, spec)
	second, _ := stackLog(t, b, spec)
	if p := first["command-line-arguments"]; p.Test || p != second["command-line-arguments"] ||
		!strings.Contains(logs["command-line-arguments"], "copystack") {
		t.Errorf("built %+v, then %+v", first, second)
	}
}
