package compare

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/report/figures"
)

func metric(unit string, ratio float64, regression bool) Metric {
	return Metric{Unit: unit, Exact: true,
		Values: []figures.Figure{{Value: 1e-6, Unit: unit}, {Value: figures.Number(1e-6 * ratio), Unit: unit}},
		Changes: []Change{{Verdict: Changed, Stands: true, Regression: regression,
			Ratio: figures.Figure{Value: figures.Number(ratio), Lo: figures.Number(ratio), Hi: figures.Number(ratio)}}}}
}

func annotateReport(n int) *Report {
	r := &Report{Margin: 0.01, Says: []string{"50% is\nmuch"},
		Sides: []Side{{Name: "main"}, {Name: "feature"}}}
	for i := range n {
		r.Benchmarks = append(r.Benchmarks, Benchmark{Study: "example.com/m/codec",
			Name:    fmt.Sprintf("Decode/i=%d-8", i),
			Metrics: []Metric{metric(Time, 1.2, true)}})
	}
	return r
}

func TestWrite(t *testing.T) {
	r := annotateReport(2)
	r.Benchmarks[1].Metrics[0] = metric(Time, 0.8, false)
	closed := []Finding{{Study: "example.com/m/codec", Benchmark: "Decode/i=0-8", Side: "feature",
		Unit: Time, Says: "Decode takes 1.20× as long, 100%\r\nmore: bad, very"}}
	place := func(study, benchmark string) (string, int, bool) {
		return "codec/a,b:c_test.go", 12, study == "example.com/m/codec"
	}
	var b bytes.Buffer
	if err := Write(&b, r, closed, place); err != nil {
		t.Fatal(err)
	}
	want := "::notice title=memcost compare::50%25 is%0Amuch\n" +
		"::error file=codec/a%2Cb%3Ac_test.go,line=12,title=BenchmarkDecode::Decode takes 1.20× as long, 100%25%0D%0A" +
		"more: bad, very\n" +
		"::notice file=codec/a%2Cb%3Ac_test.go,line=12,title=BenchmarkDecode::Decode/i=1-8: time/op of feature " +
		"against main is 0.800× [0.800, 0.800]: 800 ns instead of 1000 ns\n"
	got := strings.ReplaceAll(b.String(), "1 µs", "1000 ns")
	got = strings.ReplaceAll(got, "1.00 µs", "1000 ns")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// GitHub shows ten annotations of a level for a step: the last one counts those left out.
func TestMany(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, annotateReport(25), nil, nil); err != nil {
		t.Fatal(err)
	}
	warnings := strings.Count(b.String(), "::warning ")
	if warnings != most || !strings.HasSuffix(b.String(), "::16 more of this kind; the report has them all\n") {
		t.Errorf("%d warnings:\n%s", warnings, b.String())
	}
}

func TestIn(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "ref: refs/heads/main\n")
	write("go/go.mod", "module example.com/m // a comment\n\ngo 1.26\n")
	write("go/codec/codec_test.go", "package codec\n\nfunc BenchmarkDecode(b *testing.B) {}\n")
	write("go/codec/damaged_test.go", "package {")
	write("go/m_test.go", "package m\n\n\nfunc BenchmarkTop(b *testing.B) {}\n")
	place := In(filepath.Join(root, "go", "codec"))
	for _, tt := range []struct{ study, benchmark, want string }{
		{"example.com/m/codec", "Decode-8", "go/codec/codec_test.go:3"},
		{"example.com/m/codec", "Decode/size=10-8", "go/codec/codec_test.go:3"},
		{"example.com/m", "Top", "go/m_test.go:4"},
		{"example.com/m/codec", "Encode-8", ""}, {"example.com/mm/codec", "Decode-8", ""},
		{"example.com/m/nowhere", "Decode-8", ""}, {"smaug", "Decode-8", ""},
	} {
		got := ""
		if file, line, ok := place(tt.study, tt.benchmark); ok {
			got = fmt.Sprintf("%s:%d", file, line)
		}
		if got != tt.want {
			t.Errorf("%s of %s is at %q, want %q", tt.benchmark, tt.study, got, tt.want)
		}
	}
	if _, _, ok := In(t.TempDir())("example.com/m", "Top"); ok {
		t.Error("outside of a module there is a place")
	}
}

// A benchmark that was renamed is measured on no side: a warning at its line says so.
func TestOneSidedIsAnnotated(t *testing.T) {
	r := annotateReport(1)
	one := func(name, on string) plan.OneSided {
		return plan.OneSided{Study: "example.com/m/codec", Name: name, On: []string{on}}
	}
	r.OneSided = []plan.OneSided{one("Old-8", "main"), one("New-8", "feature")}
	var b bytes.Buffer
	if err := Write(&b, r, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"::warning title=BenchmarkOld::Old-8 stands in main alone, and is not compared; was it renamed to New-8?\n",
		"::warning title=BenchmarkNew::New-8 stands in feature alone, and is not compared\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in:\n%s", want, b.String())
		}
	}
	r.OneSided = append(r.OneSided, one("Newer-8", "feature"))
	if says := r.OneSidedSays()[0]; strings.Contains(says, "renamed") {
		t.Errorf("two benchmarks came: %s", says)
	}
}
