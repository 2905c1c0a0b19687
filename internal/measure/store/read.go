// Package store keeps a run folder: the question in run.json, and every sample
// in samples.txt, in the Go benchmark format (golang.org/design/14313), in the
// order in which it was taken.
//
// samples.txt is append-only and is the only state of a run. A sample is on
// disk (written and synced) when its process has ended, before the next one
// starts. A writer that dies leaves at most one unfinished line at the end;
// readers pass it over, and the next writer removes it, both with a warning.
package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
)

// ReadQuestion reads run.json into v.
func ReadQuestion(dir string, v any) error {
	if err := exists(dir); err != nil {
		return err
	}
	data, err := foreign.Read(dir, QuestionFile, foreign.Document)
	if err != nil {
		return fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	err = json.Unmarshal(data, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return unusable(dir, fmt.Sprintf(" line %d", lineAt(data, syntax.Offset)), err)
	case errors.As(err, &kind):
		return unusable(dir, fmt.Sprintf(" line %d", lineAt(data, kind.Offset)), err)
	}
	return Unusable(dir, err)
}

// Unusable returns the error of a run folder whose run.json holds what no run can have
// written, with what is left of the run; nil for nil.
func Unusable(dir string, err error) error {
	if err == nil {
		return nil
	}
	return unusable(dir, "", err)
}

func unusable(dir, where string, err error) error {
	return hint.New("its samples can be read by themselves: memcost report "+filepath.Join(dir, SamplesFile),
		"reading run folder %s: %s%s: %w", dir, QuestionFile, where, err)
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// ReadSamples streams the samples of a run folder to fn. The Result belongs to
// the reader and changes with the next call.
//
// A line that is damaged is passed over and named in the warnings, and so is an
// unfinished last line; err is set when reading itself failed or fn returned an
// error. A folder without samples is an empty one, not an error.
func ReadSamples(dir string, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	path := filepath.Join(dir, SamplesFile)
	f, err := foreign.Open(dir, SamplesFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	whole, err := finished(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	warnings, err = read(io.LimitReader(f, whole), path, false, fn)
	if lost := info.Size() - whole; lost > 0 {
		warnings = append(warnings, partialLine(path, lost))
	}
	return warnings, err
}

// maxWarnings bounds the number of warnings about a damaged file.
const maxWarnings = 20

// Read streams a file in the Go benchmark format to fn; see ReadSamples. name
// is the file's name for messages. Several files may stand in it, one behind the other.
func Read(r io.Reader, name string, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	return read(r, name, true, fn)
}

func read(r io.Reader, name string, several bool, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	dropped := 0
	warn := func(err error) {
		if len(warnings) < maxWarnings {
			warnings = append(warnings, err)
		} else {
			dropped++
		}
	}
	br := benchfmt.NewReader(newLineChecker(newBlockReader(r, name, several, warn), name, warn), name)
	for br.Scan() {
		switch rec := br.Result().(type) {
		case *benchfmt.Result:
			if err := fn(rec); err != nil {
				return warnings, err
			}
		case *benchfmt.SyntaxError:
			warn(fmt.Errorf("%s line %d: passed over: %s", rec.FileName, rec.Line, rec.Msg))
		}
	}
	if dropped > 0 {
		warnings = append(warnings, fmt.Errorf("%s: %d more damaged lines", name, dropped))
	}
	if err := br.Err(); err != nil {
		return warnings, fmt.Errorf("reading %s: %w", name, err)
	}
	return warnings, nil
}

// finished returns the number of leading bytes of f, of size bytes in all, that its writer finished: they end with a
// check, or with a newline where there is none.
func finished(f io.ReaderAt, size int64) (int64, error) {
	const step = 64 << 10
	buf := make([]byte, step)
	lines := int64(-1) // up to the last newline
	for end := size; end > 0; {
		start := max(end-step, 0)
		n, err := f.ReadAt(buf[:end-start], start)
		if err != nil && err != io.EOF {
			return 0, err
		}
		part := buf[:n]
		for i := len(part); i >= 0; i = bytes.LastIndex(part[:i], []byte(checkBegins)) {
			line := part[i : i+bytes.IndexByte(part[i:], '\n')+1]
			if _, is := checkIn(line); is && (start+int64(i) == 0 || i > 0 && part[i-1] == '\n') {
				return start + int64(i+len(line)), nil
			}
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 && lines < 0 {
			lines = start + int64(i) + 1
		}
		if start == 0 {
			break
		}
		end = start + longestCheck + 1 // a check may lie across
	}
	return max(lines, 0), nil
}

func partialLine(path string, lost int64) error {
	return fmt.Errorf("%s: what was written last was not finished when its writer stopped; its %d bytes are left out", path,
		lost)
}

// longestLine is the longest line that is passed on: benchfmt.Reader stops reading the
// file at a line of 64 KiB, and a sample has less than one.
const longestLine = 32 << 10

// A lineChecker passes lines through and warns of those that do not belong in a
// benchmark file. benchfmt.Reader skips such lines in silence, as it must for the output
// of go test; in a file that memcost wrote they are damage. A line that is too long is
// replaced by an empty one: a crash of the machine can leave a stretch of zeros where
// the file had grown and its data was not on disk.
type lineChecker struct {
	r    *bufio.Reader
	name string
	warn func(error)
	line int
	rest []byte // of the line at hand; belongs to r
}

func newLineChecker(r io.Reader, name string, warn func(error)) *lineChecker {
	return &lineChecker{r: bufio.NewReaderSize(r, longestLine), name: name, warn: warn}
}

var emptyLine = []byte("\n")

func (l *lineChecker) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(l.rest) == 0 {
			if n > 0 && l.r.Buffered() == 0 {
				break // pass on what has been read before waiting for more
			}
			if l.rest, err = l.next(); len(l.rest) == 0 {
				return n, err
			}
		}
		k := copy(p[n:], l.rest)
		n, l.rest = n+k, l.rest[k:]
	}
	return n, nil
}

// next returns the next line with its newline, which the last line may lack.
func (l *lineChecker) next() ([]byte, error) {
	l.line++
	line, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		whole, ok := bytes.CutSuffix(line, emptyLine)
		switch {
		case !ok:
		case bytes.HasPrefix(whole, []byte("Benchmark")) && !printable(whole):
			l.warn(fmt.Errorf("%s line %d: passed over: bytes that no benchmark prints: %.80q", l.name, l.line, whole))
			return emptyLine, err
		case !plausible(whole):
			l.warn(fmt.Errorf("%s line %d: not a line of a benchmark file: %.40q", l.name, l.line, whole))
		}
		return line, err
	}
	start := fmt.Sprintf("%.40q", line)
	size := len(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.r.ReadSlice('\n')
		size += len(line)
	}
	l.warn(fmt.Errorf("%s line %d: passed over: %d bytes are too long for a line of a benchmark file: %s…", l.name,
		l.line, size, start))
	if bytes.HasSuffix(line, emptyLine) {
		return emptyLine, nil
	}
	return nil, err
}

// printable reports whether the figures of a result and their units are text without
// control characters but tabs. The name before them is the benchmark's business.
func printable(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\r"))
	line = line[max(bytes.IndexAny(line, " \t"), 0):]
	return utf8.Valid(line) && !bytes.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) })
}

// plausible reports whether a line can occur in a benchmark file: blank, a result, a
// unit line, a comment, "key: value", or go test's PASS and ok.
func plausible(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == 0 {
		return true
	}
	switch c := line[0]; {
	case c == '#':
		return true
	case c == 'B':
		return bytes.HasPrefix(line, []byte("Benchmark"))
	case c == 'U':
		return bytes.HasPrefix(line, []byte("Unit "))
	case c >= 'a' && c <= 'z':
		if i := bytes.IndexByte(line, ':'); i > 0 && !bytes.ContainsAny(line[:i], " \t") {
			return true
		}
		return bytes.HasPrefix(line, []byte("ok"))
	case c == 'P':
		return string(line) == "PASS"
	}
	return false
}
