package exectrace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"golang.org/x/exp/trace"
)

// Read reads an execution trace. A trace that was cut off or is damaged gives its
// whole generations up to there, for which it is read a second time, and a warning in the Trace.
// The error is for what is no trace, has not one generation whole, or could not be read from r.
func Read(r io.ReadSeeker, o Options) (*Trace, error) {
	in := &counter{r: r}
	buffered := bufio.NewReaderSize(in, 1<<20)
	version, err := header(buffered)
	if err != nil {
		return nil, in.orIO(err)
	}
	a := newAnalysis(o.withDefaults(), version)
	err = a.read(buffered, 0)
	if a.out.Events == 0 && err == nil {
		err = errors.New("it holds no events")
	}
	bytes, what := in.n, "is damaged and cannot be read further"
	if in.end {
		what = "was cut off, or is damaged,"
	}
	switch {
	case in.err != nil:
		return nil, in.orIO(err)
	case a.told == 0:
		return nil, fmt.Errorf("reading the execution trace: %s\n%s", brief(err), hint(version, in.end))
	case err != nil:
		whole := a.out.Generations
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("reading the execution trace again: %w", err)
		}
		a = newAnalysis(a.o, version)
		if err := a.read(bufio.NewReaderSize(in, 1<<20), whole); !errors.Is(err, errEnough) {
			return nil, in.orIO(fmt.Errorf("reading the execution trace again: %w", err))
		}
	}
	t := a.finish()
	t.Version, t.Written, t.Bytes = fmt.Sprintf("go1.%d", version), writers[version], bytes
	if err != nil {
		t.warn("the trace %s after %d events and %v: %v", what, t.Events, t.Span, brief(err))
	}
	return t, nil
}

func (t *Trace) warn(format string, args ...any) {
	t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
}

// hint is what to do about a trace of which nothing could be read.
func hint(version int, end bool) string {
	switch {
	case version < 22 && end:
		return "hint: a trace of Go 1.21 or older can only be read whole: was this one cut off, or is it damaged? " +
			"Take it again, and let it end with trace.Stop"
	case end:
		return "hint: was the trace cut off before its first second was written, or is it damaged? Take it again, " +
			"and let it end with trace.Stop"
	}
	return "hint: the file is damaged; take the trace again"
}

// brief is the first line of an error: some of the library's go on with the
// state of its parser.
func brief(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(line, ":")
}

// writers are the formats that can be read, by the number in the header, and
// the releases that write them (golang.org/x/exp/trace/internal/version; seen
// with 1.13.15 to 1.27.4).
var writers = map[int]string{
	11: "Go 1.11 to 1.18", 19: "Go 1.19 or 1.20", 21: "Go 1.21", 22: "Go 1.22",
	23: "Go 1.23 or 1.24", 25: "Go 1.25", 26: "Go 1.26 or newer",
}

// header looks at the first bytes, and leaves them.
func header(r *bufio.Reader) (version int, err error) {
	const format = "go 1.%d trace\x00\x00\x00"
	first, _ := r.Peek(16)
	if _, err := fmt.Sscanf(string(first), format, &version); err != nil {
		return 0, notATrace(string(first))
	}
	if writers[version] == "" {
		what := "this program knows the formats of Go 1.11 to 1.27: a newer one may read it"
		if version < 11 {
			what = "Go 1.11 is the oldest whose traces can be read: take the trace with it or a newer one"
		}
		return 0, fmt.Errorf("reading the execution trace: its format is that of Go 1.%d, which is not known\nhint: %s",
			version, what)
	}
	return version, nil
}

func notATrace(first string) error {
	what := `a trace begins with "go 1.N trace": runtime/trace, go test -trace and /debug/pprof/trace write one`
	switch {
	case first == "":
		return errors.New(
			"reading the execution trace: the file is empty\nhint: did the program end before trace.Stop?")
	case strings.HasPrefix("go 1.", first[:min(len(first), 5)]):
		what = "the file ends in the middle of a trace's first 16 bytes: did the program end before trace.Stop?"
	case strings.HasPrefix(first, "\x1f\x8b"):
		what = "the file is compressed: if a trace is in it, unpack it with gunzip; if it is a profile, go tool " +
			"pprof reads it"
	}
	return fmt.Errorf("reading the execution trace: it begins with %q, as no trace does\nhint: %s",
		first[:min(len(first), 16)], what)
}

// counter counts what is read, and remembers how it ended.
type counter struct {
	r   io.Reader
	n   int64
	end bool
	err error
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		c.end = true
	case err != nil:
		c.err = err
	}
	return n, err
}

// orIO is err, but for an error of the reader underneath.
func (c *counter) orIO(err error) error {
	if c.err != nil {
		return fmt.Errorf("reading the execution trace after %d bytes: %w", c.n, c.err)
	}
	return err
}

// panicked is a panic while a trace was read. The library's are errors of the
// trace; it does not check everything before it uses it.
type panicked struct {
	value any
	ours  bool
}

func (p *panicked) Error() string {
	if p.ours {
		return fmt.Sprintf("a fault of this program: %v", p.value)
	}
	return fmt.Sprint(p.value)
}

// recovered is the error of a panic; it must be called by the deferred function.
func recovered(value any) *panicked {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "golang.org/x/exp/trace") {
			return &panicked{value, false}
		}
		if !more || strings.Contains(f.Function, "/exectrace.") {
			return &panicked{value, true}
		}
	}
}

// read reads all events, or those of as many generations as are wanted.
func (a *analysis) read(r io.Reader, wanted int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = recovered(v)
		}
	}()
	events, err := trace.NewReader(r)
	if err != nil {
		return err
	}
	for {
		e, err := events.ReadEvent()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.event(&e, wanted); err != nil {
			return err
		}
	}
}
