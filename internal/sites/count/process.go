package count

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
)

// A program is a test binary, and how it is run.
type program struct {
	runner  *proc.Runner
	path    string
	dir     string // of the package
	env     []string
	args    []string // the user's
	timeout time.Duration
	temp    string // for what its processes write
	runs    int
}

// A request is what one process is asked for (see toolchain.CountVar).
type request struct {
	mode, name   string
	pass, resets int
	args         []string // of go test
	memory, cpu  bool     // profiles that are wanted
	plain        bool     // the binary does not heed CountVar: package testing takes the profiles
}

// An answer is what one process gave.
type answer struct {
	record
	stdout      []byte
	memory, cpu *profile.Profile
	err         error // of the process; the rest is what there was until then
}

// run runs one process. The error is of a ctx that was cancelled, or of memcost itself; that
// of the process is in the answer.
func (p *program) run(ctx context.Context, what string, q request) (answer, error) {
	p.runs++
	base := filepath.Join(p.temp, fmt.Sprint(p.runs))
	recorded, memory, cpu := base+".txt", base+".mem", base+".cpu"
	defer func() {
		for _, file := range []string{recorded, memory, cpu} {
			os.Remove(file)
		}
	}()
	args := append([]string{"-test.timeout=0", "-test.count=1"}, q.args...)
	if q.memory {
		args = append(args, "-test.memprofile="+memory)
	}
	unprofiled := "GODEBUG=" + p.godebug() + "memprofilerate=0"
	set := []string{unprofiled}
	if q.plain {
		set = []string{}
		if q.memory {
			args = append(args, "-test.memprofilerate=1")
		}
		if q.cpu {
			set = []string{unprofiled}
			args = append(args, "-test.cpuprofile="+cpu)
		}
	} else {
		asked := []string{"file=" + recorded, "mode=" + q.mode, "name=" + q.name, fmt.Sprint("pass=", q.pass),
			fmt.Sprint("resets=", q.resets), "cpu=" + cpu}
		set = append(set, toolchain.CountVar+"="+strings.Join(asked, "\n"))
	}
	res, err := p.runner.Run(ctx, proc.Cmd{Path: p.path, Args: append(args, p.args...), Dir: p.dir,
		Env: append(p.env[:len(p.env):len(p.env)], set...), Timeout: p.timeout, Limit: 16 << 20})
	if err != nil {
		return answer{}, err
	}
	a := answer{stdout: res.Stdout, err: withPanic(res, res.Err(what))}
	text, err := os.ReadFile(recorded)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}
	a.record = readRecord(text)
	if q.plain {
		a.ended = printed(res.Stdout, q.name)
	}
	if a.err == nil && !q.plain && !a.done {
		a.err = fmt.Errorf("%s: the process ended before package testing was done: does something call os.Exit?", what)
	}
	if a.err == nil && len(a.errors) > 0 {
		a.err = fmt.Errorf("%s: %s", what, strings.Join(a.errors, "; "))
	}
	if q.memory && a.err == nil {
		a.memory, a.err = readProfile(memory, what)
	}
	if q.cpu && a.err == nil {
		a.cpu, a.err = readProfile(cpu, what)
	}
	return a, nil
}

// godebug returns the user's GODEBUG, with a comma.
func (p *program) godebug() string {
	for _, kv := range slices.Backward(p.env) {
		if value, ok := strings.CutPrefix(kv, "GODEBUG="); ok && value != "" {
			return value + ","
		}
	}
	return ""
}

// withPanic adds the line that says why a process crashed, which is far above the last lines.
func withPanic(res proc.Result, err error) error {
	for line := range strings.Lines(string(res.Stderr)) {
		if err != nil && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")) {
			return fmt.Errorf("%w\n\t(%s)", err, strings.TrimSpace(line))
		}
	}
	return err
}

// readProfile reads a profile that a process wrote.
func readProfile(path, what string) (*profile.Profile, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: it ended without a profile; does its TestMain end the process, or the benchmark "+
			"skip?", what)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: reading its profile: %w", what, err)
	}
	return p, nil
}
