package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sides "memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// compared copies the run folder of a comparison, for a page is written into it.
func compared(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "report", "result", "testdata", "sides"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// memcost runs a command in this process.
func memcost(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = Main(context.Background(), args, strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

// A gate says what closes it, and closes on nothing else.
func TestGateOfReport(t *testing.T) {
	dir := compared(t)
	file := func(name string) string { return filepath.Join("..", "report", "result", "testdata", "files", name) }
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{dir}, 0, ""},
		{[]string{dir, "--gate"}, 3, "memcost: the gate is closed (--gate): Decode/size=4096-2 takes 1.06× [1.04, " +
			"1.08] as long at feature as at main (1.33 µs instead of 1.25 µs): slower by more than 1%\n"},
		{[]string{dir, "--gate=slower=3%"}, 3, "slower by more than 3%\n"},
		{[]string{dir, "--gate=slower=5%"}, 0, "1 comparison"},
		{[]string{dir, "--gate=slower=5%,undecided"}, 3, "Scan-2: it is undecided whether time/op at feature is " +
			"worse than at main by more than 5%"},
		{[]string{dir, "--gate=allocs=15%"}, 3, "  Trim-2: allocs/op is 1 instead of 0 at feature\n"},
		{[]string{dir, "--gate=bytes=20%"}, 3, "Trim-2: B/op is 8 B instead of 0 B at feature"},
		{[]string{dir, "--gate=slower=x"}, 2, `"x" is no margin`},
		{[]string{dir, "--gate=quicker"}, 2, `there is no "quicker" to ask for`},
		{[]string{file("old.txt"), file("new.txt"), "--gate"}, 3, "Decode-8 takes 1.05×"},
		{[]string{file("new.txt"), file("old.txt"), "--gate=slower=60%"}, 0, ""},
		{[]string{file("old.txt"), "--gate"}, 2, "hint: name two runs or files"},
	} {
		out := filepath.Join(t.TempDir(), "report.txt")
		status, _, stderr := memcost(append([]string{"report", "-o", out}, tt.args...)...)
		if status != tt.status || !strings.Contains(stderr, tt.says) {
			t.Errorf("report %q: status %d, want %d; it says:\n%s", tt.args, status, tt.status, stderr)
		}
	}
}

// Each field of a comparison in JSON stands in docs/format.md.
func TestComparisonIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## The comparison")
	section, _, _ = strings.Cut(section, "\n## ")
	section = strings.ReplaceAll(section, "[]`", "`")
	ans, err := result.Read(compared(t), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := sides.OfRun(ans)
	if err != nil {
		t.Fatal(err)
	}
	r.Benchmarks[0].Invalid, r.Benchmarks[0].Flags, r.Benchmarks[0].Failed = []string{"x"}, []string{"x"}, []string{"x"}
	r.Label, r.NoiseFloor = "x", []result.Noise{{Case: "x"}}
	r.Sides[0].Source.Modified = true
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	seen := keysOf(v, nil)
	for _, k := range seen {
		if !strings.Contains(section, "`"+k+"`") {
			t.Errorf("docs/format.md does not name the field %q of a comparison", k)
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d fields are looked at: %q", len(seen), seen)
	}
}

// keysOf returns the names of all fields in a value, each once.
func keysOf(v any, seen []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if !slices.Contains(seen, k) {
				seen = append(seen, k)
			}
			seen = keysOf(x, seen)
		}
	case []any:
		for _, x := range v {
			seen = keysOf(x, seen)
		}
	}
	return seen
}
