package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/page"
	"memcost/internal/result"
	"memcost/internal/stacklog"
	"memcost/internal/text"
)

// stackOutput prints the runs, or writes them to a file.
func (a *app) stackOutput(f *stackFlags, runs []*stackRun) error {
	err := a.output(f.out, func(w *output) error { return renderStack(w, f, runs, w.style(a, f.long)) })
	if err == nil && f.open {
		return openPage(f.out)
	}
	return err
}

func renderStack(w io.Writer, f *stackFlags, runs []*stackRun, style text.Style) error {
	switch f.format {
	case "json":
		return stackJSON(w, runs)
	case "html":
		return page.WriteStacks(w, "Stack growth", stackRuns(runs))
	case "go":
		return stackRecords(w, runs)
	}
	return text.Stacks(w, stackRuns(runs), style)
}

// stackRuns are the runs as they are shown.
func stackRuns(runs []*stackRun) []text.StackRun {
	var all []text.StackRun
	for _, r := range runs {
		x := text.StackRun{Name: r.title(), Ended: r.ended, Facts: r.facts(), Notes: r.notes, Failed: words(r.failed), Log: r.log, Check: r.check}
		if r.agrees {
			x.Within = agreement
		}
		all = append(all, x)
	}
	return all
}

func (r *stackRun) title() string {
	if r.toolchain == "" {
		return r.name
	}
	return r.name + ", " + r.toolchain
}

func (r *stackRun) facts() [][2]string {
	if r.cmd.Path == "" {
		return nil
	}
	facts := [][2]string{{"command", r.cmd.String()}, {"ended", r.ended}}
	if len(r.check) > 0 {
		facts = append(facts, [2]string{"figures", "of the log, for the part of the run that was traced"})
	}
	return facts
}

// fit cuts a text that is rewritten in its line to the width of the terminal.
func (a *app) fit(s string) string {
	_, width := isTerminal(a.stderr)
	return cut(s, width-len(" …."))
}

func cut(s string, width int) string {
	if runes := []rune(s); width > 0 && len(runes) > width {
		return string(runes[:width])
	}
	return s
}

// stackAnswer is a run in JSON.
type stackAnswer struct {
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

func stackJSON(w io.Writer, runs []*stackRun) error {
	all := []stackAnswer{}
	for _, r := range runs {
		x := stackAnswer{Program: r.name, ImportPath: r.program.ImportPath, Toolchain: r.toolchain, Test: r.program.Test, Ended: r.ended,
			ExitStatus: r.result.ExitCode, Signal: r.result.Signal, TimedOut: r.result.TimedOut, WallSec: r.result.Wall.Seconds(),
			Notes: r.notes, Failed: words(r.failed), Check: r.check, Agrees: r.agrees, Stacks: r.log}
		if r.cmd.Path != "" {
			x.Command = r.cmd.String()
		}
		if r.log != nil {
			x.Warnings, x.Advice = words(r.log.Warnings), text.StackAdvice(r.log)
		}
		all = append(all, x)
	}
	return writeJSON(w, all)
}

func words(errs []error) (texts []string) {
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return texts
}

// stackRecords writes the benchmark format, for benchstat.
func stackRecords(w io.Writer, runs []*stackRun) error {
	out := benchfmt.NewWriter(w)
	for _, r := range runs {
		if r.log == nil {
			continue
		}
		var config []benchfmt.Config
		if r.toolchain != "" {
			config = []benchfmt.Config{{Key: "toolchain", Value: []byte(r.toolchain), File: true}}
		}
		for _, rec := range r.log.Records("StackGrowth/program="+result.FileName(r.name), config...) {
			if err := out.Write(rec); err != nil {
				return err
			}
		}
	}
	return nil
}

// stackRead reads a log or a trace that there is already.
func (a *app) stackRead(f *stackFlags) error {
	in, name := a.stdin, "standard input"
	if f.read != "-" {
		file, err := os.Open(f.read)
		if err != nil {
			return fmt.Errorf("--read %s: %w", f.read, plainError(err))
		}
		defer file.Close()
		in, name = file, f.read
	}
	r := &stackRun{name: name, ended: "read"}
	buffered := bufio.NewReaderSize(in, 64<<10)
	head, _ := buffered.Peek(16)
	var err error
	if bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head, []byte(" trace\x00")) {
		r.log, err = stacklog.ReadTrace(buffered, stacklog.Options{})
	} else {
		r.log, err = stacklog.Read(buffered, stacklog.Options{})
	}
	if r.log != nil && r.log.Partial {
		r.note("the trace has no mark at its end: the program died, or ended it itself (trace.Stop). What may have come after is in no figure, and there is no advice")
	}
	what := fmt.Sprintf("--read %s", f.read)
	switch {
	case r.log == nil:
		return fmt.Errorf("%s: %w", what, err)
	case r.log.Own == 0 && err != nil:
		return fmt.Errorf("%s: %w", what, plainError(err))
	case r.log.Own == 0:
		return withHint("a log is what a program built by memcost stack writes to standard error (--keep-log FILE); a trace needs GODEBUG=traceallocfree=1", fmt.Errorf("%s: %w", what, r.log.Warnings[0]))
	}
	r.fail(err)
	if f.program != "" {
		r.symbolise(f.program)
	}
	if err := a.stackOutput(f, []*stackRun{r}); err != nil {
		return err
	}
	return err
}
