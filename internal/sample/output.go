package sample

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/proc"
)

// output is what a test binary said.
type output struct {
	results    []*benchfmt.Result
	failed     []string // benchmarks that go test reported as failed, without "Benchmark"
	skipped    []string
	unfinished string // the benchmark that was running when the process ended
	config     map[string]string
}

var (
	failLine = regexp.MustCompile(`(?m)^\s*--- (FAIL|SKIP): Benchmark(\S+)`)
	// A benchmark's name is printed before it runs, its figures after.
	startedLine = regexp.MustCompile(`(?m)^Benchmark(\S+)[ \t]*(.*)$`)
)

// parse reads the standard output of a test binary. Lines that are not
// benchmark results are the benchmark's own business and are passed over.
func parse(stdout []byte) output {
	var o output
	r := benchfmt.NewReader(bytes.NewReader(stdout), "output")
	for r.Scan() {
		if res, ok := r.Result().(*benchfmt.Result); ok && len(res.Values) > 0 {
			o.results = append(o.results, res.Clone())
		}
	}
	for _, m := range failLine.FindAllSubmatch(stdout, -1) {
		if string(m[1]) == "FAIL" {
			o.failed = append(o.failed, string(m[2]))
		} else {
			o.skipped = append(o.skipped, string(m[2]))
		}
	}
	if ms := startedLine.FindAllSubmatch(stdout, -1); len(ms) > 0 {
		last := ms[len(ms)-1]
		name := string(last[1])
		if n := len(o.results); n == 0 || string(o.results[n-1].Name) != name {
			o.unfinished = name
		}
	}
	return o
}

func (o output) find(name string) *benchfmt.Result {
	for _, r := range o.results {
		if string(r.Name) == name {
			return r
		}
	}
	return nil
}

// why says in one line how a process that gave no result ended.
func why(res proc.Result, o output) string {
	last := lastLine(res)
	switch {
	case res.TimedOut:
		return fmt.Sprintf("no result after %v (--timeout)", res.Wall.Round(1e8))
	case res.Signal == "SIGKILL":
		return "killed (SIGKILL): out of memory, or killed by hand"
	case res.Signal != "":
		return fmt.Sprintf("died of %s: %s", res.Signal, last)
	case len(o.skipped) > 0:
		return "skipped by the benchmark itself (b.Skip)"
	case res.ExitCode != 0:
		return fmt.Sprintf("exit status %d: %s", res.ExitCode, last)
	case len(o.results) == 0:
		return "it ended well but printed no result: " + last
	}
	return "it printed a result of another benchmark: " + last
}

// lastLine picks the line that says most about a death: Go's own words where it
// has some, else the last line that is not empty.
func lastLine(res proc.Result) string {
	text := string(res.Stdout) + "\n" + string(res.Stderr)
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, start := range []string{"panic:", "fatal error:", "runtime: goroutine stack exceeds"} {
			if strings.HasPrefix(line, start) {
				return clip(line)
			}
		}
		if line != "" && line != "FAIL" && line != "PASS" {
			last = line
		}
	}
	if last == "" {
		return "no output"
	}
	return clip(last)
}

func clip(s string) string {
	const most = 160
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
