package sample

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"memcost/internal/proc"
)

// describeEnd returns in one line how a process that gave no result ended.
func describeEnd(res proc.Result, o output) string {
	last := lastLine(res)
	switch {
	case res.TimedOut:
		return fmt.Sprintf("no result after %v (--timeout): %s", res.Wall.Round(100*time.Millisecond), last)
	case res.Signal == "SIGKILL":
		return "killed (SIGKILL): out of memory, or killed by hand: " + last
	case res.Signal != "":
		return fmt.Sprintf("died of %s: %s", res.Signal, last)
	case len(o.results) == 0 && len(o.failed) > 0 && strings.HasPrefix(o.words[o.failed[0]], invalid):
		return o.words[o.failed[0]]
	case res.ExitCode != 0 && len(o.failed) > 0 && o.words[leaves(o.failed)[0]] != "":
		return fmt.Sprintf("failed: %s", o.words[leaves(o.failed)[0]])
	case len(o.results) == 0 && len(o.failed) > 0 && o.words[o.failed[0]] != "":
		return "failed: " + o.words[o.failed[0]]
	case res.ExitCode != 0:
		return fmt.Sprintf("exit status %d: %s", res.ExitCode, last)
	case len(o.garbled) > 0:
		return "what it prints to standard output is in the way of its figures (standard error is free): " + last
	case len(o.results) == 0 && last == noOutput:
		return "it printed nothing: it skips itself (b.Skip), or is not part of this build (a build constraint)"
	case len(o.results) == 0:
		return "it ended well but printed no result (b.Skip?): " + last
	}
	return "it printed a result of another benchmark: " + last
}

const noOutput = "no output"

// lastLine returns the line that best explains the end of a process: the Go runtime's
// message if there is one, else the last line that is not empty.
func lastLine(res proc.Result) string {
	last := ""
	for _, text := range [][]byte{res.Stdout, res.Stderr} {
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			for _, start := range []string{"panic:", "fatal error:", "runtime: goroutine stack exceeds"} {
				if strings.HasPrefix(line, start) {
					return clip(line)
				}
			}
			if !isHeading(line) {
				last = line
			}
		}
	}
	if last == "" {
		return noOutput
	}
	return clip(last)
}

var bareName = regexp.MustCompile(`^Benchmark\S*$`)

// isHeading reports whether a line is the testing package's own and does not explain how
// a process ended.
func isHeading(line string) bool {
	if line == "" || line == "FAIL" || line == "PASS" || bareName.MatchString(line) {
		return true
	}
	for _, key := range []string{"goos: ", "goarch: ", "pkg: ", "cpu: "} {
		if strings.HasPrefix(line, key) {
			return true
		}
	}
	return false
}

func clip(s string) string {
	const most = 160
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9._=+-]+`)

// keep saves what a failed process printed and returns the log's name inside
// the run folder.
func (l *Lab) keep(suite, name, arm string, res proc.Result) string {
	if l.SaveLog == nil {
		return ""
	}
	file := unsafeInName.ReplaceAllString(fmt.Sprintf("%s-%s-%s", suite, name, arm), "_")
	// Long names differ at the end, not at the start.
	file = "logs/" + file[max(0, len(file)-150):] + ".txt"
	var text strings.Builder
	fmt.Fprintf(&text, "exit status %d, signal %q, after %v\n--- standard output\n%s\n--- standard error\n%s\n",
		res.ExitCode, res.Signal, res.Wall.Round(time.Millisecond), res.Stdout, res.Stderr)
	l.SaveLog(file, []byte(text.String()))
	return file
}
