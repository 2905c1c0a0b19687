// This part of the package says in a line how a process ended that gave no result.

package proc

import (
	"bytes"
	"regexp"
	"strings"
)

// NoOutput is what stands for the last line of a process that wrote none.
const NoOutput = "no output"

// Behind returns a line as the end of a sentence, "" for none.
func Behind(line string) string {
	if line == "" || line == NoOutput {
		return ""
	}
	return ": " + line
}

// LastLine picks the line that says most about a death: Go's own words where it has some, else the
// last line that is not empty and no advice. An answer in JSON that was cut short says nothing.
func LastLine(res Result) string {
	last := ""
	for i, text := range [][]byte{res.Stdout, res.Stderr} {
		if i == 0 && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			continue
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			for _, start := range []string{"panic:", "fatal error:", "runtime: goroutine stack exceeds"} {
				if strings.HasPrefix(line, start) {
					return Clip(line)
				}
			}
			if !isHeading(line) && (last == "" || !strings.HasPrefix(line, "hint: ")) {
				last = line
			}
		}
	}
	if last == "" {
		return NoOutput
	}
	return Clip(last)
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

// Clip makes a text one line of at most 160 characters.
func Clip(s string) string {
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
