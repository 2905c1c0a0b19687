package exchange

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"golang.org/x/perf/benchfmt"
)

// WriteSamples streams samples to w as Go or Google. The first error of samples
// ends the writing, with the file cut short, and is returned as it is.
//
// Google Benchmark has one context for a file, taken from the first sample. A
// sample whose file configuration is another is another benchmark there, with
// the difference behind its name ("BM_Foo/toolchain:go1.18"; "none" for a key
// that it lacks); pass one set of data at a time to keep names plain. As in the
// Go format, configuration that is not the file's is not written.
func WriteSamples(w io.Writer, f Format, samples iter.Seq2[*benchfmt.Result, error]) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	var write func(*benchfmt.Result) error
	end := func() error { return nil }
	switch f {
	case Go:
		out := benchfmt.NewWriter(bw)
		write = func(r *benchfmt.Result) error { return out.Write(r) }
	case Google:
		out := newGoogleWriter(bw)
		write, end = out.write, out.end
	default:
		return fmt.Errorf("writing samples: %q is a format for answers (samples are written as %s or %s)", f, Go,
			Google)
	}
	for res, err := range samples {
		if err != nil {
			bw.Flush()
			return err
		}
		if err := write(res); err != nil {
			return fmt.Errorf("writing samples as %q: %s: %w", f, res.Name, err)
		}
	}
	if err := end(); err != nil {
		return fmt.Errorf("writing samples as %q: %w", f, err)
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("writing samples as %q: %w", f, err)
	}
	return nil
}
