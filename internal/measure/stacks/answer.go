package stacks

import "memcost/internal/gotool/stacklog"

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
