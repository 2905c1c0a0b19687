package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// outlet takes what a program writes: it is passed on and saved, and its end is
// remembered for the case that the program fails.
type outlet struct {
	to   io.Writer
	tail []byte
	err  error
	line []byte            // the beginning of the line that is being written
	each func(line []byte) // told of the beginning of each line; nil is not
}

// lastBytes of a program's output are remembered.
const lastBytes = 8 << 10

// Write never fails: the program, and the reading of its log, go on.
func (o *outlet) Write(p []byte) (int, error) {
	if o.to != nil && o.err == nil {
		_, o.err = o.to.Write(p)
	}
	if o.each != nil {
		o.watch(p)
	}
	o.tail = append(o.tail, p[max(0, len(p)-lastBytes):]...)
	if over := len(o.tail) - 2*lastBytes; over > 0 {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-lastBytes:]...)
	}
	return len(p), nil
}

func (o *outlet) last() []byte {
	tail := o.tail[max(0, len(o.tail)-lastBytes):]
	if len(tail) == lastBytes { // begin with a whole line
		if _, rest, ok := strings.Cut(string(tail), "\n"); ok {
			return []byte(rest)
		}
	}
	return tail
}

// flush tells of an output that could not be written.
func (o *outlet) flush(what string, r *stackRun) {
	if o.err != nil {
		r.fail(fmt.Errorf("writing the %s: %w", what, plainError(o.err)))
	}
}

// lineStart is how much of a line an outlet's each is told.
const lineStart = 200

func (o *outlet) watch(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		part := p[:max(end, 0)]
		if end < 0 {
			part = p
		}
		switch room := lineStart - len(o.line); {
		case end >= 0 && len(o.line) == 0:
			o.each(part[:min(len(part), lineStart)])
		case room > 0:
			o.line = append(o.line, part[:min(len(part), room)]...)
		}
		if end < 0 {
			return
		}
		if len(o.line) > 0 {
			o.each(o.line)
			o.line = o.line[:0]
		}
		p = p[end+1:]
	}
}

// heard is what a program says of itself, as memcost hears it.
type heard struct {
	cause      string // the line with which a crash begins
	noTests    bool   // the testing package found none to run
	benchmarks bool   // one ran, or failed
}

// watch listens for what can be far from the end of a program's output, and for
// the testing package's answer to -b and --run.
func (c *connection) watch() {
	c.stderr.each = func(line []byte) {
		switch {
		case bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: ")):
			c.heard.cause = string(line)
		case bytes.Equal(line, []byte("testing: warning: no tests to run")):
			c.heard.noTests = true
		}
	}
	if c.job.f.bench != "" {
		c.stdout.each = func(line []byte) {
			if bytes.HasPrefix(line, []byte("Benchmark")) || bytes.HasPrefix(line, []byte("--- FAIL: Benchmark")) {
				c.heard.benchmarks = true
			}
		}
	}
}

// lastWords are the end of standard error, and the line with which a crash began
// before it, if the end does not show that.
func (c *connection) lastWords() []byte {
	last := c.stderr.last()
	lines := strings.Split(strings.TrimRight(string(last), " \t\r\n"), "\n")
	const shown = 10 // lines, by proc.Result.Err
	shows := lines[max(0, len(lines)-shown):]
	for _, line := range shows {
		if c.heard.cause == "" || strings.HasPrefix(line, c.heard.cause) {
			return last
		}
	}
	shows = shows[max(0, len(shows)-shown+2):]
	return []byte(c.heard.cause + "\n…\n" + strings.Join(shows, "\n"))
}

// idle says why what was asked for with -b and --run did not run.
func (c *connection) idle() string {
	f := c.job.f
	switch {
	case f.bench != "" && !c.heard.benchmarks:
		return fmt.Sprintf("no benchmark matches -b %s, or all that do were skipped", f.bench)
	case f.bench == "" && f.tests != "" && c.heard.noTests:
		return fmt.Sprintf("no test matches --run %s", f.tests)
	}
	return ""
}
