package stacks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// stream takes what a program writes: it is passed on or saved, and its end is
// remembered for the case that the program fails.
type stream struct {
	to   io.Writer
	tail []byte
	err  error
	line []byte            // the beginning of the line that is being written
	each func(line []byte) // told of the beginning of each line; nil is not
}

// lastBytes of a program's output are remembered.
const lastBytes = 8 << 10

// Write never fails: the program, and the reading of its log, go on.
func (s *stream) Write(p []byte) (int, error) {
	if s.to != nil && s.err == nil {
		_, s.err = s.to.Write(p)
	}
	if s.each != nil {
		s.watch(p)
	}
	s.tail = append(s.tail, p[max(0, len(p)-lastBytes):]...)
	if over := len(s.tail) - 2*lastBytes; over > 0 {
		s.tail = append(s.tail[:0], s.tail[len(s.tail)-lastBytes:]...)
	}
	return len(p), nil
}

func (s *stream) last() []byte {
	tail := s.tail[max(0, len(s.tail)-lastBytes):]
	if len(tail) == lastBytes { // begin with a whole line
		if _, rest, ok := strings.Cut(string(tail), "\n"); ok {
			return []byte(rest)
		}
	}
	return tail
}

// failure returns the error of an output that could not be written.
func (s *stream) failure(what string) error {
	if s.err == nil {
		return nil
	}
	return fmt.Errorf("writing the %s: %w", what, plainError(s.err))
}

// lineStart is how much of a line a stream's each is told.
const lineStart = 200

func (s *stream) watch(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		part := p[:max(end, 0)]
		if end < 0 {
			part = p
		}
		switch room := lineStart - len(s.line); {
		case end >= 0 && len(s.line) == 0:
			s.each(part[:min(len(part), lineStart)])
		case room > 0:
			s.line = append(s.line, part[:min(len(part), room)]...)
		}
		if end < 0 {
			return
		}
		if len(s.line) > 0 {
			s.each(s.line)
			s.line = s.line[:0]
		}
		p = p[end+1:]
	}
}

// messages are what a program says of itself.
type messages struct {
	crash      string // the line with which a crash begins
	noTests    bool   // the testing package found none to run
	benchmarks bool   // one ran, or failed
}

// listen notes what can be far from the end of a program's output, and the testing
// package's answer to -test.bench and -test.run.
func (m *messages) listen(stdout, stderr *stream, benchmarks bool) {
	stderr.each = func(line []byte) {
		switch {
		case bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: ")):
			m.crash = string(line)
		case bytes.Equal(line, []byte("testing: warning: no tests to run")):
			m.noTests = true
		}
	}
	if benchmarks {
		stdout.each = func(line []byte) {
			if bytes.HasPrefix(line, []byte("Benchmark")) || bytes.HasPrefix(line, []byte("--- FAIL: Benchmark")) {
				m.benchmarks = true
			}
		}
	}
}

// ending returns the end of standard error, and the line with which a crash began before
// it, if the end does not show that.
func (m *messages) ending(stderr *stream) []byte {
	last := stderr.last()
	lines := strings.Split(strings.TrimRight(string(last), " \t\r\n"), "\n")
	const shown = 10 // lines, by proc.Result.Err
	shows := lines[max(0, len(lines)-shown):]
	for _, line := range shows {
		if m.crash == "" || strings.HasPrefix(line, m.crash) {
			return last
		}
	}
	shows = shows[max(0, len(shows)-shown+2):]
	return []byte(m.crash + "\n…\n" + strings.Join(shows, "\n"))
}

// idle says why the tests or benchmarks that were asked for did not run.
func (m *messages) idle(o Options) string {
	switch {
	case o.Bench != "" && !m.benchmarks:
		return fmt.Sprintf("no benchmark matches -b %s, or all that do were skipped", o.Bench)
	case o.Bench == "" && o.Tests != "" && m.noTests:
		return fmt.Sprintf("no test matches --run %s", o.Tests)
	}
	return ""
}

// plainError returns an error without the name of a file that the message names already.
func plainError(err error) error {
	var named *os.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}
