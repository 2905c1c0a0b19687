package sample

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/plan"
	"memcost/internal/proc"
)

// A Target is a benchmark binary and how it is run.
type Target struct {
	Path string   // of the test binary
	Dir  string   // working directory: the package's own folder
	Env  []string // complete environment
}

// paddingVar is the environment variable that carries the random padding.
const paddingVar = "MEMCOST_PADDING"

// testArgs are the flags of every run of a test binary: one process, one count,
// no tests, no deadline of its own (the harness has one).
func testArgs(bench, benchtime string, procs int) []string {
	args := []string{
		"-test.run=^$",
		"-test.bench=" + bench,
		"-test.benchtime=" + benchtime,
		"-test.benchmem",
		"-test.timeout=0",
	}
	if procs > 0 {
		args = append(args, "-test.cpu="+strconv.Itoa(procs))
	}
	return args
}

// exactly is the -test.bench pattern that selects one benchmark: go test
// matches each part of the name, between slashes, on its own.
func exactly(name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// Command is the process that takes a sample.
func Command(p *plan.Plan, t plan.Task, target Target) proc.Cmd {
	c := p.Cases[t.Case]
	env := slices.Concat(target.Env, p.Arms[t.Arm].Env, c.Env)
	return proc.Cmd{
		Path:    target.Path,
		Args:    caseArgs(p, c, fmt.Sprintf("%dx", t.N)),
		Dir:     target.Dir,
		Env:     append(env, paddingVar+"="+strings.Repeat("x", t.Padding)),
		Timeout: p.Options.Timeout,
	}
}

// caseArgs are the flags with which a binary runs one case; benchtime is that of go
// test: a duration, or "Nx".
func caseArgs(p *plan.Plan, c plan.Case, benchtime string) []string {
	switch {
	case c.Program != "":
		return c.Args
	case p.Suites[c.Suite].Google:
		return googleArgs(c, benchtime)
	}
	return testArgs(exactly(c.Base), benchtime, c.Procs)
}

// parseCase reads what a binary printed for one case.
func parseCase(p *plan.Plan, c plan.Case, stdout []byte) output {
	switch {
	case c.Program != "":
		return parseLines(stdout)
	case p.Suites[c.Suite].Google:
		return parseGoogle(stdout, c)
	}
	return parse(stdout, c.Procs)
}

// iterations is the N whose loop takes at least the target time.
func iterations(target time.Duration, secPerOp float64) int64 {
	if secPerOp <= 0 {
		return 1e9
	}
	n := target.Seconds() / secPerOp
	return int64(min(max(n, 1), 1e12)) + 1
}
