package cli

import (
	"cmp"
	"io"

	"memcost/internal/front"
	"memcost/internal/run"
)

// app is what every command needs.
type app struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// origin says who begins a run.
func (a *app) origin() run.Origin {
	return run.Origin{Version: cmp.Or(release, Version), Command: append([]string{"memcost"}, a.args...)}
}

// tools returns what builds and runs programs, telling p how that goes.
func (a *app) tools(p *front.Progress, verbose bool) (*run.Tools, error) {
	var trace io.Writer
	if verbose {
		trace = a.stderr
	}
	return run.NewTools(run.Log{Note: p.Note, Step: p.Step, Sample: p.Sample}, trace)
}

// Version of memcost.
const Version = "0.1.0"

// release is the version of a build by make dist or make install, which the linker
// writes here (-X); "" for every other build.
var release string
