package stacks

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
