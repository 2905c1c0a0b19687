package search

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/study/language"
)

// findSites finds the compile-time rows that are open, all in the same programs.
func (b *bench) findSites(ctx context.Context) error {
	open := slices.DeleteFunc(slices.Clone(sites), func(s site) bool { return !b.wants(s.row()) })
	var searches []*search
	for _, s := range open {
		searches = append(searches, newSearch(1, s.hi, width))
	}
	answers := make([]map[int64]answer, len(open))
	err := solve(searches, func(step int, points [][]int64) error {
		b.log("compiling, step %d", step+1)
		got, err := b.try(ctx, fmt.Sprint("sites", step), open, points)
		for i := range got {
			if answers[i] == nil {
				answers[i] = map[int64]answer{}
			}
			for n, a := range got[i] {
				answers[i][n] = a
				searches[i].record(n, a.allocs <= open[i].floor)
			}
		}
		return err
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, s := range open {
		r := Row{Name: s.row(), Unit: "bytes"}
		if err != nil {
			r.Failed = err.Error()
		} else {
			describe(&r, s, searches[i], answers[i])
		}
		if err := b.add(r); err != nil {
			return err
		}
	}
	return nil
}

// try compiles and runs the sites at the sizes.
func (b *bench) try(ctx context.Context, name string, sites []site, sizes [][]int64) ([]map[int64]answer, error) {
	p := generate(sites, sizes)
	binary, said, err := b.build(ctx, name, p.source, "-gcflags=-m=2")
	if err != nil {
		return nil, err
	}
	defer os.Remove(binary)
	spoken, err := readWords(said)
	if err != nil {
		return nil, err
	}
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: binary, Dir: b.dir, Env: proc.CleanEnv(b.Env, "GOGC=off"),
		Timeout: childTime, Limit: 16 << 20})
	if err == nil {
		err = res.Err("counting the allocations of the generated program " + filepath.Join(b.dir, name))
	}
	if err != nil {
		return nil, err
	}
	counts, err := readCounts(string(res.Stderr))
	if err != nil {
		return nil, err
	}
	answers := make([]map[int64]answer, len(sites))
	for i, s := range sites {
		answers[i] = map[int64]answer{}
		for _, n := range sizes[i] {
			allocs, ok := counts[s.name][n]
			if !ok {
				return nil, fmt.Errorf("counting the allocations of %s at size %d: the program printed no count",
					s.name, n)
			}
			answers[i][n] = answer{allocs, spoken[p.lines[s.function(n)]]}
		}
	}
	return answers, nil
}

// Times after which a process is ended. Compiling the standard library for a cold
// cache takes a slow machine minutes; a child that has not ended by then hangs.
const (
	buildTime = 10 * time.Minute
	childTime = 2 * time.Minute
)

// bench tries one toolchain.
type bench struct {
	Options
	dir            string
	stack          string                // the built program of the run-time rows; "" before
	overflowDepths map[int]overflowDepth // by frame
}

func (b *bench) wants(name string) bool { return slices.Contains(b.Names, name) }

// add hands a row on.
func (b *bench) add(r Row) error {
	r.Version = b.Go.Version
	return b.Found(r)
}

func (b *bench) log(format string, args ...any) {
	b.Log(b.Go.Version + ": " + fmt.Sprintf(format, args...))
}

// build compiles a program of one file. It returns a fresh binary, because the go
// command prints nothing when the output file is up to date, and what was printed.
func (b *bench) build(ctx context.Context, name, source string, flags ...string) (binary string, said []byte,
	err error) {
	dir := filepath.Join(b.dir, name)
	// Without a dot in its name, Go 1.20.1 looks for it in the standard library, too.
	mod := "module example.com/limits\n"
	if lang := version.Lang(b.Go.Version); lang != "" { // a development version has none, and takes its own
		mod += "\ngo " + strings.TrimPrefix(lang, "go") + "\n"
	}
	if err = os.MkdirAll(dir, 0o777); err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o666)
	}
	if err != nil {
		return "", nil, fmt.Errorf("writing a program to try: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	binary = filepath.Join(dir, "try.exe")
	os.Remove(binary)
	env := proc.CleanEnv(b.Env, "GOENV=off", "GOTOOLCHAIN=local", "GO111MODULE=on", "GOWORK=off", "GOROOT="+b.Go.GOROOT)
	cmd := proc.Cmd{
		Path: b.Go.GoCmd, Args: append(append([]string{"build", "-o", binary}, flags...), "."), Dir: dir, Env: env,
		Timeout: buildTime, Limit: 64 << 20,
	}
	res, err := b.Runner.Run(ctx, cmd)
	if err == nil && res.ExitCode != 0 && bytes.Contains(res.Stderr, []byte("import of unknown directory")) {
		// The package index of Go 1.19 does not find the standard library of a
		// toolchain that lies in the module cache; without the index it does.
		cmd.Env = append(env, "GODEBUG=goindex=0")
		res, err = b.Runner.Run(ctx, cmd)
	}
	if err == nil {
		err = res.Err("building the generated program " + dir + " with " + b.Go.Version)
	}
	return binary, res.Stderr, err
}

// overflowDepth is a recursion that overflowed the stack.
type overflowDepth struct {
	levels int     // that fitted
	bytes  float64 // of stack in use at the last level
	limit  float64 // bytes, as the dying program names it
	sizes  []float64
	runs   int
}

// facts holds what the program reports about itself under a setting (--check).
type cliffFacts struct {
	Platform string `json:"platform"`
	Library  string `json:"malloc_library"`
	Memlock  string `json:"memlock_limit"` // bytes, or a word
	Checks   []struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Status string `json:"status"`
		Detail string `json:"detail"`
	} `json:"checks"`
}

func (f cliffFacts) glibc() bool {
	return strings.Contains(f.Platform, "glibc") && strings.HasPrefix(filepath.Base(f.Library), "libc.so")
}

// locked reports whether the program locks its memory (-L). Its own count of locked
// bytes may be 0 where it exceeded the limit.
func locked(set language.Variant) bool { return slices.Contains(set.Args, "-L") }

// program runs the program under one setting.
type cliffProgram struct {
	CliffOptions
	set language.Variant
}

func (p *cliffProgram) run(ctx context.Context, what string, args ...string) (proc.Result, error) {
	what += " with " + p.set.Keys
	res, err := p.Runner.Run(ctx, proc.Cmd{Path: p.Program, Args: slices.Concat(p.set.Args, args),
		Env: proc.CleanEnv(p.Env, p.set.Env...), Timeout: p.Timeout})
	if err == nil {
		err = res.Err(what)
	}
	return res, err
}

// check reads every knob back: a setting without effect has no cliffs of its own. That
// locked memory ends at RLIMIT_MEMLOCK is no such failure: it is a cliff.
func (p *cliffProgram) check(ctx context.Context) (cliffFacts, error) {
	const what = "checking the setting"
	var f cliffFacts
	res, err := p.run(ctx, what, "--check")
	if json.Unmarshal(res.Stdout, &f) != nil {
		if err == nil {
			err = fmt.Errorf("%s with %s: the program printed no facts: %q", what, p.set.Keys, clip(res.Stdout))
		}
		return f, err
	}
	excused := false
	for _, c := range f.Checks {
		switch {
		case c.Status != "no effect":
		case c.Name == "mlockall" && locked(p.set) && strings.Contains(c.Detail, "RLIMIT_MEMLOCK"):
			excused = true
		default:
			return f, fmt.Errorf("%s with %s: %s=%s had no effect: %s", what, p.set.Keys, c.Name, c.Value, c.Detail)
		}
	}
	if excused && res.ExitCode == checkFailed {
		return f, nil
	}
	return f, err
}

// checkFailed is the program's exit status when a check failed.
const checkFailed = 3

// probe tries one size in a fresh process.
func (p *cliffProgram) probe(ctx context.Context, size int64) (Probe, error) {
	// A fresh page of an allocator's own serves its first blocks only: blocks that fit
	// into it are tried more often. Large ones take long.
	times := 21
	if size > 1<<20 {
		times = 5
	}
	what := fmt.Sprintf("probing a block of %d bytes", size)
	res, err := p.run(ctx, what, "--probe="+strconv.FormatInt(size, 10), "--times="+strconv.Itoa(times))
	if err != nil {
		return Probe{}, err
	}
	return readProbe(res.Stdout, size, what+" with "+p.set.Keys)
}

func readProbe(text []byte, size int64, what string) (Probe, error) {
	var p Probe
	line := bytes.TrimSpace(text)
	if err := json.Unmarshal(line, &p); err != nil {
		return Probe{}, fmt.Errorf("%s: the program printed %q, which is not the result of a probe: %w",
			what, clip(line), err)
	}
	if strings.HasPrefix(p.Null, "skipped") {
		return p, errSkipped
	}
	if p.Size != size || p.Null == "" && (p.Mechanism == "" || p.First.Mechanism == "" || p.TimerNS <= 0 ||
		p.MallocNS < 0 || p.TouchNS < 0 || p.FreeNS < 0) {
		return Probe{}, fmt.Errorf("%s: the program printed %q, which is not the result of a probe of that size",
			what, clip(line))
	}
	return p, nil
}

// clip returns the beginning of a text for a message.
func clip(b []byte) string {
	const most = 120
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}

//go:embed stack.go.txt
var stackSource string

// frames are the sizes of the locals of the recursive functions. No variable of
// theirs is larger than chunk, which every Go keeps on the stack.
var frames = []int{64, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 10 << 20}

const chunk = 64 << 10

// stackProgram returns the source of the children: the fixed part and a recursive
// function for each of frames. The variables of a frame are used after the call, so that
// they are kept across it and share no memory.
func stackProgram() string {
	var b strings.Builder
	b.WriteString(stackSource)
	b.WriteString("\nvar frames = map[int]func(int, *byte) byte{\n")
	for _, f := range frames {
		fmt.Fprintf(&b, "\t%d: recurse%d,\n", f, f)
	}
	b.WriteString("}\n")
	for _, f := range frames {
		fmt.Fprintf(&b, "\n//go:noinline\nfunc recurse%d(d int, first *byte) byte {\n", f)
		vars, size := max(1, f/chunk), min(f, chunk)
		for i := range vars {
			fmt.Fprintf(&b, "\tvar x%d [%d]byte\n\tx%d[d&%d] = byte(d)\n", i, size, i, size-1)
		}
		b.WriteString("\tif d == 0 {\n\t\tfirst = &x0[0]\n\t}\n" +
			"\tif uintptr(unsafe.Pointer(first)) != top {\n\t\tmoved(uintptr(unsafe.Pointer(first)))\n\t}\n" +
			"\tvisit(d, uintptr(unsafe.Pointer(&x0)), uintptr(unsafe.Pointer(first)))\n" +
			"\tr := byte(0)\n\tif d+1 < stop {\n")
		fmt.Fprintf(&b, "\t\tr = recurse%d(d+1, first)\n\t} else {\n\t\twait()\n\t}\n", f)
		for i := range vars {
			fmt.Fprintf(&b, "\tr += x%d[(d+1)&%d]\n", i, size-1)
		}
		b.WriteString("\treturn r\n}\n")
	}
	return b.String()
}

// child runs the program of the run-time rows and returns what it printed.
func (b *bench) child(ctx context.Context, env []string, args ...any) (proc.Result, error) {
	if b.stack == "" {
		b.log("compiling the program of the run-time rows")
		binary, _, err := b.build(ctx, "stack", stackProgram())
		if err != nil {
			return proc.Result{}, err
		}
		b.stack = binary
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprint(a)
	}
	return b.Runner.Run(ctx, proc.Cmd{
		Path: b.stack, Args: words, Dir: filepath.Dir(b.stack), Timeout: childTime,
		Env: proc.CleanEnv(b.Env, append([]string{"GOGC=off", "GOTRACEBACK=none"}, env...)...),
	})
}

// ask runs a child for trials that it must survive. It has one processor: then a
// goroutine that waits for another one to block does not overtake it. It returns the
// numbers of each printed line that begins with the trial's word.
func (b *bench) ask(ctx context.Context, env []string, word string, args ...any) ([][]float64, error) {
	res, err := b.child(ctx, append(env, "GOMAXPROCS=1"), args...)
	if err == nil {
		err = res.Err(fmt.Sprintf("trying %q", strings.TrimSpace(fmt.Sprintln(args...))))
	}
	if err != nil {
		return nil, err
	}
	got := numbers(string(res.Stderr), word)
	if len(got) == 0 {
		return nil, fmt.Errorf("trying %q: the program printed no line %q", strings.TrimSpace(fmt.Sprintln(args...)),
			word)
	}
	return got, nil
}

// numbers reads the lines "WORD n n ...". A line with anything else is skipped: a dying
// program's messages may be mixed with it.
func numbers(text, word string) [][]float64 {
	var out [][]float64
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, word+" ")
		if !ok || !strings.HasSuffix(rest, "\n") {
			continue
		}
		var row []float64
		for _, field := range strings.Fields(rest) {
			var v float64
			if _, err := fmt.Sscanf(field, "%g", &v); err != nil || fmt.Sprintf("%.0f", v) != field {
				row = nil
				break
			}
			row = append(row, v)
		}
		if row != nil {
			out = append(out, row)
		}
	}
	return out
}
