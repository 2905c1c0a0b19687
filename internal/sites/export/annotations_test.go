package export

import (
	"bytes"
	"strings"
	"testing"

	"memcost/internal/sites"
	"memcost/internal/testkit"
)

func annotationsOf(t *testing.T, r *sites.Report, f []Finding, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Annotations(&b, r, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnnotations(t *testing.T) {
	testkit.Golden(t, "testdata/annotations.txt", string([]byte(annotationsOf(t, report(), budgets, options))))
}

// GitHub shows ten of a level for a step: the last one counts those left out. What others wrote
// cannot begin a command.
func TestManyAnnotations(t *testing.T) {
	r := hostile(200)
	for i := range r.Sites {
		if r.Sites[i].Line = i + 1; i < 60 {
			r.Benchmarks[0].Bytes = 100 // all are warnings
		}
		if i >= 100 {
			r.Sites[i].Class = sites.Conditional
		}
		r.Sites[i].Function = "f\r\n::error::g\n"
	}
	got := annotationsOf(t, r, budgets, options)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "::error file=go/codec/decode.go,line=3,col=1,title=") {
		t.Errorf("%d lines:\n%s", len(lines), got)
	}
	for i, want := range []string{"::warning title=memcost why::91 more of this kind; memcost why lists them all",
		"::notice title=memcost why::92 more of this kind; memcost why lists them all"} {
		if line := lines[19+i]; line != want {
			t.Errorf("%q; want %q", line, want)
		}
	}
	if annotationsOf(t, &sites.Report{}, nil, Options{}) != "" {
		t.Error("there are annotations of nothing")
	}
}
