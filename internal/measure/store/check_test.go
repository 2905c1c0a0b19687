package store

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/perf/benchfmt"
)

// What a crash of the machine can leave: a stretch of zeros without a newline.
func TestLongLinesArePassedOver(t *testing.T) {
	const sample = "BenchmarkX-2 100 5 ns/op\n"
	for _, tt := range []struct {
		name, text string
		results    int
		warning    string
	}{
		{"zeros", sample + strings.Repeat("\x00", 200_000) + "\n" + sample, 2,
			"f.txt line 2: passed over: 200001 bytes"},
		{"at the end", sample + strings.Repeat("\x00", 200_000), 1, "f.txt line 2: passed over"},
		{"a result", "BenchmarkX-2 100" + strings.Repeat(" 5 ns/op", 20_000) + "\n" + sample + "oops oops\n" + sample,
			2, "f.txt line 3: not a line"},
		{"just fits", "BenchmarkX-2 100 5 ns/op" + strings.Repeat(" ", longestLine-25) + "\n" + sample, 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, reader := range []string{"whole", "one byte"} {
				r := iotest.DataErrReader(strings.NewReader(tt.text))
				if reader == "one byte" {
					r = iotest.OneByteReader(r)
				}
				n := 0
				warnings, err := Read(r, "f.txt", func(*benchfmt.Result) error { n++; return nil })
				if err != nil || n != tt.results {
					t.Errorf("%s: read %d results, want %d, %v", reader, n, tt.results, err)
				}
				all := ""
				if err := errors.Join(warnings...); err != nil {
					all = err.Error()
				}
				if !strings.Contains(all, tt.warning) || (tt.warning == "") != (all == "") {
					t.Errorf("%s: warnings %q, want %q", reader, all, tt.warning)
				}
			}
		})
	}
}
