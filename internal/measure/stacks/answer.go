// Package stacks builds Go programs so that they record what they do with their
// goroutine stacks, runs them, and reads what they recorded.
package stacks

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/stacklog"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// Answer is a run in JSON.
type Answer struct {
	Program    string                `json:"program"`
	ImportPath string                `json:"import_path"`
	Toolchain  string                `json:"toolchain"`
	Test       bool                  `json:"test"`
	Command    string                `json:"command"`
	Ended      string                `json:"ended"`
	ExitStatus int                   `json:"exit_status"` // -1 if a signal ended it
	Signal     string                `json:"signal"`
	TimedOut   bool                  `json:"timed_out"`
	WallSec    float64               `json:"wall_sec"`
	Failed     []string              `json:"failed"`
	Notes      []string              `json:"notes"`
	Warnings   []string              `json:"warnings"` // of reading the log
	Advice     []string              `json:"advice"`
	Check      []stacklog.Difference `json:"check"`
	Agrees     bool                  `json:"agrees"` // the log and the trace
	Stacks     *stacklog.Log         `json:"stacks"`
}

// Answers returns the runs in JSON.
func Answers(runs []*Run) []Answer {
	all := []Answer{}
	for _, r := range runs {
		x := Answer{Program: r.Name, ImportPath: r.Program.ImportPath, Toolchain: r.Toolchain, Test: r.Program.Test,
			Ended:      r.Ended,
			ExitStatus: r.Result.ExitCode, Signal: r.Result.Signal, TimedOut: r.Result.TimedOut,
			WallSec: r.Result.Wall.Seconds(),
			Notes:   r.Notes, Failed: texts(r.Failed), Check: r.Check, Agrees: r.Agrees, Stacks: r.Log}
		if r.Cmd.Path != "" {
			x.Command = r.Cmd.String()
		}
		if r.Log != nil {
			x.Warnings, x.Advice = texts(r.Log.Warnings), r.Log.Advice()
		}
		all = append(all, x)
	}
	return all
}

// texts returns the errors in words; nil for none, which is null in JSON.
func texts(errs []error) (all []string) {
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}

// Options say what is built, how it is run and what is recorded.
type Options struct {
	Programs []string // of the study, by their names: see StudyPrograms
	Packages []string // patterns of packages in the current folder, or the Go files of one program
	Versions []string // of Go, as toolchain.Finder.Find knows them; each builds everything

	BuildFlags []string // of the go command, one word each
	Recording  toolchain.Recording

	Arguments []string // of each program
	Bench     string   // run the benchmarks that match, of the packages' tests; "" is none
	BenchTime string   // iterations or time of each benchmark: "100x"
	Tests     string   // run the tests that match; "" is all, and none beside Bench

	Timeout time.Duration // a program is stopped after it; 0 is never
	Grace   time.Duration // between SIGINT, SIGTERM and SIGKILL

	Stdin      string    // a file for the standard input of each program; "-" is Input, "" is empty
	Input      io.Reader // for Stdin "-"
	Output     io.Writer // gets what the programs write; nil drops it
	StdoutFile string    // gets their standard output instead; "" is none
	KeepLog    string    // a file for the log, or for the trace; "" is none
}

// tests reports whether tests or benchmarks are asked for.
func (o Options) tests() bool { return o.Bench != "" || o.Tests != "" }

// Recorder builds and runs programs. The function fields may be nil.
type Recorder struct {
	Options
	Finder  *toolchain.Finder
	Builder *toolchain.Builder
	Runner  *proc.Runner

	Step    func(string) // told what is being done
	Start   func(*Run)   // told before a program is run, which may write from then on
	Note    func(string) // told what the user should know, a line each
	LeftOut func(string) // told of a toolchain that cannot be had, or does not build the programs
}

func report(to func(string), text string) {
	if to != nil {
		to(text)
	}
}

// Claims is the study whose claims are judged by the logs of the programs of Study.
const Claims = "stacklog"

// Judges reports whether what is recorded can be judged by Claims: all of the
// study's programs, by their log.
func (o Options) Judges() bool {
	return len(o.Packages) == 0 && len(o.Programs) == len(StudyPrograms()) && o.Recording == toolchain.StackLog
}

// Sides adds to a question of Claims the toolchains of the runs, and what failed.
func Sides(q *plan.Question, runs []*Run) {
	var versions []string
	for _, r := range runs {
		if r.Log != nil && !slices.Contains(versions, r.Toolchain) {
			versions = append(versions, r.Toolchain)
		}
	}
	toolchain.Sort(versions)
	for _, v := range versions {
		q.Plan.Sides = append(q.Plan.Sides, plan.Side{Name: v, Toolchain: v})
	}
	for _, r := range runs {
		for _, err := range r.Failed {
			q.Warnings = append(q.Warnings, fmt.Sprintf("%s: %v", r, err))
		}
	}
}

// Keep appends the records of the runs to a run folder, each under the header and
// its toolchain.
func Keep(folder *store.Folder, header [][2]string, runs []*Run) error {
	for _, r := range runs {
		if r.Log == nil {
			continue
		}
		more := [][2]string{{"study", Claims}, {"toolchain", r.Toolchain}, {"arm", r.Toolchain}}
		if err := folder.Append(r.records(slices.Concat(header, more))...); err != nil {
			return err
		}
	}
	return nil
}

// WriteRecords writes the runs in the benchmark format, for benchstat.
func WriteRecords(w io.Writer, runs []*Run) error {
	out := benchfmt.NewWriter(w)
	for _, r := range runs {
		if r.Log == nil {
			continue
		}
		var config [][2]string
		if r.Toolchain != "" {
			config = [][2]string{{"toolchain", r.Toolchain}}
		}
		for _, rec := range r.records(config) {
			if err := out.Write(rec); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Run) records(config [][2]string) []*benchfmt.Result {
	all := []benchfmt.Config{}
	for _, kv := range config {
		all = append(all, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	return r.Log.Records("StackGrowth/program="+store.FileName(r.Name), all...)
}

// Read reads a log or a trace that there is already: of a program, whose binary
// names the functions of a log unless it is "". The name is of the file. A reading
// that failed in its middle is a run that has Failed.
func Read(in io.Reader, name, binary string) (*Run, error) {
	r := &Run{Name: name, Ended: "read"}
	buffered := bufio.NewReaderSize(in, 64<<10)
	head, _ := buffered.Peek(16)
	var err error
	if bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head, []byte(" trace\x00")) {
		r.Log, err = stacklog.ReadTrace(buffered, stacklog.Options{})
	} else {
		r.Log, err = stacklog.Read(buffered, stacklog.Options{})
	}
	switch {
	case r.Log == nil:
		return nil, err
	case r.Log.Own == 0 && err != nil:
		return nil, plainError(err)
	case r.Log.Own == 0:
		return nil, fmt.Errorf("%w\nhint: a log is what --keep-log FILE keeps of a program, or what a runtime with "+
			"stackDebug = 1 "+
			"writes to standard error; a trace needs GODEBUG=traceallocfree=1", r.Log.Warnings[0])
	}
	if r.Log.Partial {
		r.note("the trace has no mark at its end: the program died, or ended it itself (trace.Stop). What may have " +
			"come after is in no figure, and there is no advice")
	}
	r.fail(err)
	if binary != "" {
		r.symbolise(binary)
	}
	return r, nil
}
