package stacks

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/stacklog"
	"memcost/internal/gotool/toolchain"
	"memcost/study"
)

// Study is the study whose programs are known by name.
const Study = "stackgrowth"

var programsDir = path.Join(Study, "programs")

// StudyPrograms returns the names of the study's programs.
func StudyPrograms() []string {
	entries, err := fs.ReadDir(study.FS, programsDir)
	if err != nil {
		return nil // they are part of memcost: a test reads them
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Run is a program that was built, and, once it has been run, what it recorded.
type Run struct {
	Name      string // what the user called it, as near as can be told
	Toolchain string
	Program   toolchain.LoggedProgram

	Cmd    proc.Cmd
	Result proc.Result
	Ended  string        // how, in words; "not run"
	Log    *stacklog.Log // what is shown: of a trace, if there is no log
	Check  []stacklog.Difference
	Agrees bool // the log and the trace
	Notes  []string
	Failed []error
	Idle   string // why the tests or benchmarks asked for are not what ran, or ""
}

// String names the program and its toolchain, as in "hello with go1.27.4".
func (r *Run) String() string { return r.Name + " with " + r.Toolchain }

// Title returns what a run is shown under.
func (r *Run) Title() string {
	if r.Toolchain == "" {
		return r.Name
	}
	return r.Name + ", " + r.Toolchain
}

// Facts returns what is known of a run beside its figures: a name and a text each.
func (r *Run) Facts() [][2]string {
	if r.Cmd.Path == "" {
		return nil
	}
	facts := [][2]string{{"command", r.Cmd.String()}, {"ended", r.Ended}}
	if len(r.Check) > 0 {
		facts = append(facts, [2]string{"figures", "of the log, for the part of the run that was traced"})
	}
	return facts
}

func (r *Run) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *Run) fail(err error) {
	if err != nil {
		r.Failed = append(r.Failed, err)
	}
}

// how the process ended, in words.
func (r *Run) how() string {
	text := fmt.Sprintf("exit status %d", r.Result.ExitCode)
	if r.Result.Signal != "" {
		text = "ended by " + r.Result.Signal
	}
	return fmt.Sprintf("%s after %v", text, r.Result.Wall.Round(time.Millisecond))
}

// symbolise names the functions that grew.
func (r *Run) symbolise(binary string) {
	if r.Log == nil || r.Log.Trace || len(r.Log.Sites) == 0 {
		return
	}
	f, err := os.Open(binary)
	if err == nil {
		defer f.Close()
		var hook func(uint64) (string, string, int)
		if hook, err = stacklog.Symbols(f); err == nil {
			r.Log.Symbolise(hook)
		}
	}
	if err != nil {
		r.note("the functions could not be named: %v", err)
	}
}

// nameOf returns what the user called a program.
func nameOf(p toolchain.LoggedProgram) string {
	if name, ok := strings.CutPrefix(p.ImportPath, "memcost/study/"+programsDir+"/"); ok {
		return name
	}
	if p.ImportPath == "command-line-arguments" {
		return filepath.Base(p.Path)
	}
	return p.ImportPath
}

// Build builds everything with every toolchain. A toolchain that cannot be had, or
// does not build it, is left out if there are others.
func (r *Recorder) Build(ctx context.Context) ([]*Run, error) {
	var runs []*Run
	seen := map[string]bool{}
	for _, v := range r.Versions {
		report(r.Step, "finding Go "+v)
		tc, err := r.Finder.Find(ctx, v)
		if err == nil && !seen[tc.Version] {
			seen[tc.Version] = true
			var more []*Run
			more, err = r.buildWith(ctx, tc)
			runs = append(runs, more...)
		}
		if err == nil {
			continue
		}
		if len(r.Versions) == 1 || ctx.Err() != nil {
			return nil, err
		}
		report(r.LeftOut, fmt.Sprintf("Go %s: %v", v, err))
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("nothing could be built with any of the Go versions %s", strings.Join(r.Versions, ","))
	}
	return runs, nil
}

func (r *Recorder) buildWith(ctx context.Context, tc toolchain.Toolchain) ([]*Run, error) {
	spec := toolchain.StackLogBuild{Toolchain: tc, Flags: r.BuildFlags, Record: r.Recording, Tests: r.tests()}
	var all []*Run
	if len(r.Programs) > 0 {
		dir, err := toolchain.PrepareStudies(study.FS, filepath.Join(r.Builder.CacheDir, "studies"), tc)
		if err != nil {
			return nil, err
		}
		of := spec
		of.Dir, of.Env = dir, []string{"GOWORK=off", "GO111MODULE=on"}
		for _, name := range r.Programs {
			of.Packages = append(of.Packages, "./"+path.Join(programsDir, name))
		}
		if all, err = r.builds(ctx, of, all); err != nil {
			return nil, err
		}
	}
	if len(r.Packages) > 0 {
		var err error
		spec.Dir, spec.Packages = ".", r.Packages
		if all, err = r.builds(ctx, spec, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r *Recorder) builds(ctx context.Context, spec toolchain.StackLogBuild, all []*Run) ([]*Run, error) {
	built, err := r.Builder.BuildStackLog(ctx, spec)
	if err != nil {
		return nil, err
	}
	for _, w := range built.Warnings {
		report(r.Note, "warning: "+w)
	}
	for _, p := range built.Programs {
		all = append(all, &Run{Name: nameOf(p), Program: p, Toolchain: spec.Toolchain.Version})
	}
	return all, nil
}

// connection is what a program is connected to while it runs.
type connection struct {
	options        Options
	run            *Run
	stdout, stderr stream
	messages       messages
	keptName       string // of the log or trace, or ""
	kept           *stream
	readLog        func(io.Reader) // nil if there is none
	reading        error           // of the log
	traceFile      string
	temp           string
	files          []*os.File
}

// open connects the run's command.
func (c *connection) open() error {
	o, cmd := c.options, &c.run.Cmd
	c.stdout.to, c.stderr.to = o.Output, o.Output
	if o.StdoutFile != "" {
		file, err := c.create(o.StdoutFile, "--stdout")
		if err != nil {
			return err
		}
		c.stdout.to = file
	}
	if err := c.openStdin(); err != nil {
		return err
	}
	c.messages.listen(&c.stdout, &c.stderr, o.Bench != "")
	cmd.ReadStdout = func(r io.Reader) { io.Copy(&c.stdout, r) }
	cmd.ReadStderr = func(r io.Reader) { io.Copy(&c.stderr, r) }
	if o.Recording != toolchain.StackTrace {
		if err := c.openLog(); err != nil {
			return err
		}
	}
	if o.Recording != toolchain.StackLog {
		return c.openTrace()
	}
	return nil
}

func (c *connection) create(path, flag string) (*os.File, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\nhint: name another file with %s", flag, path, plainError(err), flag)
	}
	c.files = append(c.files, file)
	return file, nil
}

func (c *connection) openStdin() error {
	switch name := c.options.Stdin; name {
	case "":
	case "-":
		c.run.Cmd.Stdin = c.options.Input
	default:
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("--stdin %s: %w\nhint: name a file that can be read, or - for memcost's own standard "+
				"input", name, plainError(err))
		}
		c.files = append(c.files, file)
		c.run.Cmd.Stdin = file
	}
	return nil
}

// openLog lets the log be read while it is written.
func (c *connection) openLog() error {
	var o stacklog.Options
	if !toolchain.StackLogAlone {
		o.Output = &c.stderr
	}
	if c.options.Recording == toolchain.StackLogTrace {
		o.From, o.Until = toolchain.TraceBegins, toolchain.TraceEnds
	}
	if c.keptName != "" {
		file, err := c.create(c.keptName, "--keep-log")
		if err != nil {
			return err
		}
		c.kept = &stream{to: file}
	}
	c.readLog = func(r io.Reader) {
		if c.kept != nil {
			r = io.TeeReader(r, c.kept)
		}
		c.run.Log, c.reading = stacklog.Read(r, o)
	}
	return nil
}

// openTrace names the file of the trace, and makes the pipes that end it.
func (c *connection) openTrace() (err error) {
	record := c.options.Recording
	if c.traceFile = c.keptName; c.traceFile != "" && record == toolchain.StackLogTrace {
		c.traceFile += ".trace"
	}
	if c.traceFile == "" {
		if c.temp, err = os.MkdirTemp("", "memcost-trace-"); err != nil {
			return fmt.Errorf("making a folder for the trace: %w", err)
		}
		c.traceFile = filepath.Join(c.temp, "trace")
	}
	if c.traceFile, err = filepath.Abs(c.traceFile); err != nil {
		return err
	}
	cmd := &c.run.Cmd
	cmd.Env = append(cmd.Env, toolchain.TraceVar+"="+c.traceFile)
	if record == toolchain.StackLogTrace {
		cmd.Env = append(cmd.Env, toolchain.MarksVar+"=1")
	}
	if runtime.GOOS == "windows" {
		return nil // the trace of a program that is stopped is cut off
	}
	request, end, err := os.Pipe()
	if err != nil {
		return err
	}
	done, told, err := os.Pipe()
	if err != nil {
		return err
	}
	c.files = append(c.files, request, end, done, told)
	cmd.Files = []*os.File{request, told}
	cmd.Stopping = func() {
		end.Close()
		told.Close() // the program has its own
		done.SetReadDeadline(time.Now().Add(traceEnd))
		done.Read(make([]byte, 1))
	}
	return nil
}

// traceEnd is how long a program may take to end its trace before it is stopped.
// A healthy one takes a second: so often the tracer looks whether it should.
const traceEnd = 5 * time.Second

func (c *connection) close() {
	for _, f := range c.files {
		f.Close()
	}
	if c.temp != "" {
		os.RemoveAll(c.temp)
	}
}
