package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/result"
	"memcost/internal/stacklog"
)

// shortRows is how many rows of a table are printed without --long.
const shortRows = 10

// stackOutput prints the runs, or writes them to a file.
func (a *app) stackOutput(f *stackFlags, runs []*stackRun) error {
	width := 0
	if f.out == "" {
		_, width = isTerminal(a.stdout)
	}
	err := a.output(f.out, func(w *output) error { return renderStack(w, f, runs, width) })
	if err == nil && f.open {
		return openPage(f.out)
	}
	return err
}

func renderStack(w io.Writer, f *stackFlags, runs []*stackRun, width int) error {
	switch f.format {
	case "json":
		return stackJSON(w, runs)
	case "html":
		return stacklog.WritePage(w, "Stack growth", stackRuns(runs))
	case "go":
		return stackRecords(w, runs)
	}
	return stackNarrow(w, f, runs, width)
}

// stackRuns are the runs as a page shows them.
func stackRuns(runs []*stackRun) []stacklog.Run {
	var all []stacklog.Run
	for _, r := range runs {
		notes := append([]string(nil), r.notes...)
		for _, err := range r.failed {
			notes = append(notes, err.Error())
		}
		all = append(all, stacklog.Run{Name: r.title(), Facts: r.facts(), Notes: notes, Log: r.log})
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

func stackText(w io.Writer, f *stackFlags, runs []*stackRun) error { return stackNarrow(w, f, runs, 0) }

// stackNarrow is the text for a screen of so many columns; 0 is without end.
func stackNarrow(w io.Writer, f *stackFlags, runs []*stackRun, width int) error {
	if len(runs) > 1 {
		if err := stacklog.WriteOverviewNarrow(w, stackRuns(runs), width); err != nil {
			return err
		}
	}
	for i, r := range runs {
		if i > 0 || len(runs) > 1 {
			fmt.Fprintln(w)
		}
		if err := r.text(w, f, width); err != nil {
			return err
		}
	}
	return nil
}

func (r *stackRun) text(w io.Writer, f *stackFlags, width int) error {
	say := func(format string, args ...any) {
		io.WriteString(w, stacklog.Wrap(fmt.Sprintf(format, args...), width))
	}
	say("%s: %s\n", r.title(), r.ended)
	for _, n := range r.notes {
		say("note: %s\n", n)
	}
	if r.log == nil {
		return nil
	}
	rows := shortRows
	if f.long {
		rows = 0
	}
	if err := r.log.WriteNarrow(w, rows, width); err != nil {
		return err
	}
	for _, s := range r.log.Advice() {
		say("\n→ %s\n", s)
	}
	var check strings.Builder
	if err := r.checkText(&check); err != nil {
		return err
	}
	_, err := io.WriteString(w, stacklog.Wrap(check.String(), width))
	return err
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

// checkText prints the log beside the trace.
func (r *stackRun) checkText(w io.Writer) error {
	if len(r.check) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(tw, "of the part that was traced\tby the log\tby the trace\toff\n")
	for _, d := range r.check {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%.1f%%\n", d.Figure, d.Log, d.Trace, 100*d.Off())
	}
	if err := tw.Flush(); err != nil || !r.agrees {
		return err
	}
	_, err := fmt.Fprintf(w, "The log and the trace agree within %g%%, but for a few stacks at its ends.\n", 100*agreement)
	return err
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
			x.Warnings, x.Advice = words(r.log.Warnings), r.log.Advice()
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
