package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/exectrace"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/show/page"
	"memcost/internal/show/text"
)

// traceFlags are the flags of memcost trace as they were given.
type traceFlags struct {
	goVersions string
	bench      string
	tests      string
	benchtime  string
	tags       string
	keep       string
	timeout    time.Duration
	format     string
	json       bool
	out        string
	open       bool
	verbose    bool
}

func (f *traceFlags) check(changed func(string) bool) (err error) {
	if f.format, err = ChooseFormat(f.format, f.out, f.json, traceFormats); err != nil {
		return err
	}
	f.format = cmp.Or(f.format, "text")
	switch {
	case f.open && (f.format != "html" || f.out == ""):
		return hint.Usage("name the page: -o page.html --open",
			"--open shows the page, and none would be written to a file")
	case f.timeout <= 0:
		return hint.Usage("for example --timeout 5m", "--timeout must be a positive time")
	case changed("benchtime") && f.bench == "":
		return hint.Usage("name them: -b REGEXP", "--benchtime is for benchmarks")
	case !IsBenchtime(f.benchtime):
		return hint.Usage("a time such as 2s, or a number of iterations such as 100x",
			"--benchtime %q: neither a positive time nor a number of iterations", f.benchtime)
	}
	if err := session.CheckBench(f.bench); err != nil {
		return err
	}
	return session.CheckVersions(f.goVersions)
}

// traceMemory is where reading a trace makes the collector work harder, in bytes: a
// dense trace of 1 GB, of 84 MB a generation, then takes 0.6 GB.
const traceMemory = 500 << 20

// traceFormats are those that memcost trace can print.
var traceFormats = []string{"text", "html", "json", "go"}

// readTrace reads a trace until ctx is done: a pipe may have nobody who writes to it, and
// then neither opening nor reading it comes to an end.
func readTrace(ctx context.Context, name string, open func() (io.ReadCloser, error)) (*exectrace.Trace, error) {
	// The parser needs some 12 times a trace's largest generation, and the collector
	// lets that double unless it is told not to.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(traceMemory))
	type result struct {
		trace *exectrace.Trace
		err   error
	}
	done := make(chan result, 1)
	go func() {
		in, err := open()
		if err != nil {
			done <- result{nil, PlainError(err)}
			return
		}
		defer in.Close()
		t, err := exectrace.Read(bufio.NewReaderSize(in, 1<<20), exectrace.Options{})
		done <- result{t, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("reading the trace %s: %w", name, r.err)
		}
		return r.trace, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("interrupted while reading the trace %s", name)
	}
}

func showTrace(a *App, f *traceFlags, name string, t *exectrace.Trace) error {
	for _, w := range t.Warnings {
		fmt.Fprintln(a.Stderr, "warning:", w)
	}
	if err := a.Output(f.out, func(w *Output) error {
		return renderTrace(w, f.format, name, w.Style(a, false), t)
	}); err != nil {
		return err
	}
	if f.open {
		return OpenPage(f.out)
	}
	return nil
}

func renderTrace(w io.Writer, format, name string, style text.Style, t *exectrace.Trace) error {
	switch format {
	case "json":
		return WriteJSON(w, t)
	case "html":
		return page.WriteTrace(w, name, t)
	case "go":
		out := benchfmt.NewWriter(w)
		for _, r := range t.Records("Trace/file=" + store.FileName(filepath.Base(name))) {
			if err := out.Write(r); err != nil {
				return err
			}
		}
		return nil
	}
	return text.Trace(w, t, style)
}
