package sample

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
)

// output is what a test binary said. Names are without "Benchmark"; base names
// are also without the GOMAXPROCS suffix.
type output struct {
	results []*benchfmt.Result
	begun   []string          // base names, in the order in which they began
	failed  []string          // base names that go test called failed …
	skipped []string          // … or skipped
	words   map[string]string // what those said, in one line
	garbled []string          // base names whose figures did not follow their name
	instead map[string]string // the line that stands there instead, of each of those
	ended   bool              // the testing package came to its end
}

// The testing package prints a benchmark's name, padded, and a tab; its figures
// follow when it is done (Go 1.13 to 1.27). With -test.v it prints the bare name
// before that (from Go 1.14 on). A benchmark's own output may stand anywhere
// between, also in front of the name in the same line.
var (
	resultText   = regexp.MustCompile(`Benchmark(\S+) *\t *\d+\t`)
	startedText  = regexp.MustCompile(`Benchmark(\S+) *\t`)
	judgedText   = regexp.MustCompile(`--- (FAIL|SKIP): Benchmark(\S+)$`)
	announceText = regexp.MustCompile(`Benchmark(\S+)$`)
)

// parse reads the standard output of a test binary that ran at the given
// GOMAXPROCS. What is not the testing package's is the benchmark's own business
// and is passed over.
func parse(stdout []byte, procs int) output {
	o := output{words: map[string]string{}, instead: map[string]string{}}
	var figures bytes.Buffer
	lines := strings.Split(string(stdout), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		if at := resultText.FindStringSubmatchIndex(line); at != nil {
			figures.WriteString(line[at[0]:] + "\n")
			name := baseName(line[at[2]:at[3]], procs)
			o.begin(name)
			o.garbled = append(o.garbled, name) // until its figures are read
			o.instead[name] = line
		} else if m := judgedText.FindStringSubmatch(line); m != nil {
			o.judge(m[1], o.known(m[2], procs), said(lines, i))
		} else if m := startedText.FindStringSubmatch(line); m != nil {
			name := baseName(m[1], procs)
			o.begin(name)
			o.garbled = append(o.garbled, name)
			if o.instead[name] = line; strings.HasSuffix(line, m[0]) && i+1 < len(lines) {
				o.instead[name] = lines[i+1]
			}
		} else if m := announceText.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "    ") {
			o.begin(m[1])
		} else if line == "PASS" || line == "FAIL" {
			o.ended = true
		}
	}
	// A benchmark may have begun the last line.
	if last := strings.TrimRight(string(stdout), "\r\n"); strings.HasSuffix(last, "PASS") ||
		strings.HasSuffix(last, "FAIL") {
		o.ended = true
	}
	for r := benchfmt.NewReader(&figures, "output"); r.Scan(); {
		if res, ok := r.Result().(*benchfmt.Result); ok && len(res.Values) > 0 {
			o.results = append(o.results, res.Clone())
			o.settled(baseName(string(res.Name), procs))
		}
	}
	return o
}

func (o *output) begin(name string) {
	if !slices.Contains(o.begun, name) {
		o.begun = append(o.begun, name)
	}
}

// fail says why a case gave no figures, in the harness's words.
func (o *output) fail(name, reason string) {
	o.failed, o.words = []string{name}, map[string]string{name: reason}
}

func (o *output) judge(verdict, name, words string) {
	o.words[name] = words
	if verdict == "FAIL" {
		o.failed = append(o.failed, name)
	} else {
		o.skipped = append(o.skipped, name)
	}
	o.settled(name)
}

// settled says that a benchmark's figures or its verdict have been read.
func (o *output) settled(name string) {
	o.garbled = slices.DeleteFunc(o.garbled, func(n string) bool { return n == name })
}

// known is the base name of a printed one that may or may not have its
// GOMAXPROCS suffix: a benchmark that fails with N = 1 is named without, one
// that fails later with it.
func (o *output) known(name string, procs int) string {
	if slices.Contains(o.begun, name) {
		return name
	}
	if base := baseName(name, procs); slices.Contains(o.begun, base) {
		return base
	}
	return name
}

// said is what a benchmark logged before it failed: indented lines after the
// verdict, or with -test.v before it.
func said(lines []string, verdict int) string {
	const indent = "    "
	var words []string
	for _, l := range lines[verdict+1:] {
		if !strings.HasPrefix(l, indent) {
			break
		}
		words = append(words, l)
	}
	for i := verdict - 1; len(words) == 0 && i >= 0 && strings.HasPrefix(lines[i], indent); i-- {
		words = []string{lines[i]}
	}
	return proc.Clip(strings.Join(strings.Fields(strings.Join(words, " ")), " "))
}

// running is the base name of the benchmark that had begun last and was not done
// when the process ended; "" if none is known.
func (o output) running(procs int) string {
	done := slices.Concat(o.failed, o.skipped)
	for _, r := range o.results {
		done = append(done, baseName(string(r.Name), procs))
	}
	for _, name := range slices.Backward(o.begun) {
		if !slices.Contains(done, name) {
			return name
		}
	}
	return ""
}

// before is the part that had begun last before a part; of a benchmark with
// parts it is the last of them. "" if there is none.
func (o output) before(name string) string {
	last := ""
	for _, part := range leaves(o.begun) {
		if part == name {
			break
		}
		last = part
	}
	return last
}

func (o output) find(name string) *benchfmt.Result {
	for _, r := range o.results {
		if string(r.Name) == name {
			return r
		}
	}
	return nil
}

// baseName takes the GOMAXPROCS suffix off a printed name. The testing package
// adds "-N" for every N but 1; a number at the end may also be the name's own.
func baseName(name string, procs int) string {
	if procs == 1 {
		return name
	}
	return strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
}

// leaves drops the names that only stand for one of their sub-benchmarks.
func leaves(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return slices.ContainsFunc(names, func(m string) bool { return strings.HasPrefix(m, n+"/") })
	})
}

// invalid begins the reason of a case that its program calls invalid: a setting without
// effect, a block that could not be had (SkipWithError).
const invalid = "INVALID: "

// why says in one line how a process that gave no result ended.
func why(res proc.Result, o output) string {
	last := proc.LastLine(res)
	switch {
	case res.TimedOut:
		return fmt.Sprintf("no result after %v (--timeout): %s", res.Wall.Round(100*time.Millisecond), last)
	case res.Signal == "SIGKILL":
		return "killed (SIGKILL): out of memory, or killed by hand" + proc.Behind(last)
	case res.Signal != "":
		return "died of " + res.Signal + proc.Behind(last)
	case len(o.results) == 0 && len(o.failed) > 0 && strings.HasPrefix(o.words[o.failed[0]], invalid):
		return o.words[o.failed[0]]
	case res.ExitCode != 0 && len(o.failed) > 0 && o.words[leaves(o.failed)[0]] != "":
		return fmt.Sprintf("failed: %s", o.words[leaves(o.failed)[0]])
	case len(o.results) == 0 && len(o.failed) > 0 && o.words[o.failed[0]] != "":
		return "failed: " + o.words[o.failed[0]]
	case res.ExitCode != 0:
		return fmt.Sprintf("exit status %d: %s", res.ExitCode, last)
	case len(o.garbled) > 0 && !o.ended:
		return "it ended with exit status 0 before it had a result (os.Exit?)" + proc.Behind(last)
	case len(o.garbled) > 0:
		return "what it prints to standard output is in the way of its figures (standard error is free)" +
			proc.Behind(proc.Clip(strings.TrimSpace(o.instead[o.garbled[0]])))
	case len(o.results) == 0 && last == proc.NoOutput:
		return "it printed nothing: it skips itself (b.Skip), or is not part of this build (a build constraint)"
	case len(o.results) == 0:
		return "it ended well but printed no result (b.Skip?): " + last
	}
	return "it printed a result of another benchmark: " + last
}
