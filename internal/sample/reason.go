package sample

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"memcost/internal/proc"
)

// why says in one line how a process that gave no result ended.
func why(res proc.Result, o output) string {
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
	case len(o.garbled) > 0 && !o.ended:
		return "it ended with exit status 0 before it had a result (os.Exit?)" + behind(last)
	case len(o.garbled) > 0:
		return "what it prints to standard output is in the way of its figures (standard error is free)" +
			behind(clip(strings.TrimSpace(o.instead[o.garbled[0]])))
	case len(o.results) == 0 && last == noOutput:
		return "it printed nothing: it skips itself (b.Skip), or is not part of this build (a build constraint)"
	case len(o.results) == 0:
		return "it ended well but printed no result (b.Skip?): " + last
	}
	return "it printed a result of another benchmark: " + last
}

const noOutput = "no output"

// behind returns a line as the end of a sentence, "" for none.
func behind(line string) string {
	if line == "" || line == noOutput {
		return ""
	}
	return ": " + line
}

// lastLine picks the line that says most about a death: Go's own words where it
// has some, else the last line that is not empty.
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

// isHeading reports whether a line is the testing package's own and says nothing
// about a death.
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
