package search

import (
	"bytes"
	"context"
	"errors"
	"go/version"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
)

func findGo(t *testing.T, v string) toolchain.Toolchain {
	t.Helper()
	tc, err := (&toolchain.Finder{Runner: &proc.Runner{}}).Find(context.Background(), v)
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

func options(t *testing.T, tc toolchain.Toolchain) Options {
	t.Helper()
	env, err := toolchain.Environ(nil)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Go: tc, Names: Names(), Runner: &proc.Runner{}, Env: env, Dir: t.TempDir(), Log: func(s string) { t.Log(s) },
		Memory: func() (int64, bool) { return 0, false }}
}

// found finds rows, and returns those that were found.
func found(ctx context.Context, o Options) (rows []Row, err error) {
	tell := o.Found
	o.Found = func(r Row) error {
		rows = append(rows, r)
		if tell != nil {
			return tell(r)
		}
		return nil
	}
	return rows, Find(ctx, o)
}

func only(names ...string) (out []string) {
	for _, n := range names {
		out = append(out, "what="+n)
	}
	return out
}

// The local Go, which is 1.26 or newer, for real.
func TestLocal(t *testing.T) {
	o := options(t, findGo(t, "local"))
	o.Names = slices.DeleteFunc(o.Names, func(name string) bool {
		return strings.Contains(name, "depth") || strings.Contains(name, "max-stack")
	})
	rows, err := found(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(Names())-7 {
		t.Errorf("%d rows", len(rows))
	}
	checkFacts(t, rows)
}

// checkFacts compares rows with what is known of a version.
func checkFacts(t *testing.T, rows []Row) {
	t.Helper()
	for _, r := range rows {
		if r.Failed != "" {
			t.Errorf("%s of %s: %s", r.Name, r.Version, r.Failed)
			continue
		}
		if want, ok := facts(r.Version)[strings.TrimPrefix(r.Name, "what=")]; ok && r.Value != want {
			t.Errorf("%s of %s is %g %s, want %g\n%s\n%s", r.Name, r.Version, r.Value, r.Unit, want, r.How, r.Note)
		}
		if r.How == "" || r.Unit == "" {
			t.Errorf("%s of %s says nothing of its evidence: %+v", r.Name, r.Version, r)
		}
		switch below := r.Value / (1 << 20); {
		case strings.HasPrefix(r.Name, "what=shrink-below") && (below > 0.25 || below < 0.24):
			t.Errorf("%s of %s: a stack shrinks up to %g of it in use", r.Name, r.Version, below)
		case r.Name == "what=make-variable" && r.Value > 0 && !strings.Contains(r.Note, "the count is used"):
			t.Errorf("%s of %s: the compiler says that no size escapes, and the row does not name it: %q", r.Name,
				r.Version, r.Note)
		}
	}
}

// facts are what is known from release notes, sources and the published study.
func facts(v string) map[string]float64 {
	since := func(release string) bool { return version.Compare(v, release) >= 0 }
	f := map[string]float64{
		"explicit": 10 << 20, "new": 64<<10 - 1, "make-variable": 0, "append": 0, "append-returned": 8, "closure": 128,
		"string-to-bytes": 32, "bytes-to-string": 32, "concat": 32,
		"min-stack": 2048, "adaptive-start": 2048, "growth-factor": 2, "shrink-factor": 2,
		"growth-steps/frame=4096": 1, "growth-steps/frame=65536": 5, "growth-steps/frame=1048576": 9,
		"growth-steps/frame=10485760": 12,
		"max-stack":                   1e9, "max-stack-usable": 512 << 20, "depth/frame=1048576": 511,
		"depth/frame=10485760": 51,
	}
	if since("go1.15") {
		f["growth-steps/frame=65536"], f["growth-steps/frame=1048576"], f["growth-steps/frame=10485760"] = 1, 1, 1
	}
	if since("go1.17") {
		f["new"] = 64 << 10
	}
	f["literal"], f["make"] = f["new"], f["new"]
	if since("go1.19") {
		f["adaptive-start"] = 32 << 10
	}
	if since("go1.24") {
		f["explicit"] = 128 << 10
	}
	if since("go1.25") {
		f["make-variable"] = 32
		f["append"] = 32
	}
	if since("go1.26") {
		f["append-returned"] = 64 // 32 on the stack, then one step to the result
	}
	return f
}

func TestNothingDangerousWithoutMemory(t *testing.T) {
	for name, memory := range map[string]func() (int64, bool){
		"does not say":        func() (int64, bool) { return 0, false },
		"only 1000 MiB are":   func() (int64, bool) { return 1000 << 20, true },
		"may take 1536 MiB o": func() (int64, bool) { return deepMemory - 1, true },
	} {
		o := options(t, findGo(t, "local"))
		o.Runner, o.Go.GoCmd, o.Memory = nil, "/nowhere/go", memory
		o.Names = only("max-stack", "depth/frame=64")
		rows, err := found(context.Background(), o)
		if err != nil || len(rows) != 2 || !strings.Contains(rows[0].Failed, name) ||
			!strings.Contains(rows[1].Failed, name) {
			t.Errorf("%s: %+v, %v", name, rows, err)
		}
	}
}

func TestStops(t *testing.T) {
	local := findGo(t, "local")
	full := errors.New("disk full")
	o := options(t, local)
	o.Names = only("new", "min-stack", "shrink-factor")
	o.Found = func(Row) error { return full }
	if rows, err := found(context.Background(), o); !errors.Is(err, full) || len(rows) != 1 {
		t.Errorf("a row that could not be kept: %v, %v", rows, err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	interrupted := errors.New("interrupted")
	o.Found = func(Row) error { cancel(interrupted); return nil }
	if rows, err := found(ctx, o); !errors.Is(err, interrupted) || len(rows) != 1 {
		t.Errorf("interrupted after the first row: %v, %v", rows, err)
	}
}

// A Go that cannot compile: each row says so.
func TestBrokenGo(t *testing.T) {
	g := findGo(t, "local")
	g.GOROOT = t.TempDir()
	o := options(t, g)
	o.Names = only("explicit", "min-stack")
	rows, err := found(context.Background(), o)
	if err != nil || len(rows) != 2 {
		t.Fatalf("%v, %v", rows, err)
	}
	for _, r := range rows {
		if !strings.Contains(r.Failed, "building the generated program") || !strings.Contains(r.Failed, g.Version) {
			t.Errorf("%s failed with %q", r.Name, r.Failed)
		}
	}
}

func TestRecords(t *testing.T) {
	rows := []Row{
		{Name: "what=explicit", Version: "go1.25.4", Value: 131072, Unit: "bytes", How: "tried: 73 sizes",
			Note: "a note"},
		{Name: "what=depth/frame=1048576", Version: "go1.25.4", Value: 511, Unit: "levels", How: "died"},
		{Name: "what=max-stack", Version: "go1.13.15", Failed: "not tried: hint: more memory"},
	}
	var text bytes.Buffer
	w := benchfmt.NewWriter(&text)
	for _, r := range rows {
		if err := w.Write(r.Result()); err != nil {
			t.Fatal(err)
		}
	}
	var got []Row
	for rd := benchfmt.NewReader(&text, "rows"); rd.Scan(); {
		res, ok := rd.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("%v in\n%s", rd.Result(), text.String())
		}
		if s := res.GetConfig("study"); s != Study {
			t.Errorf("study %q", s)
		}
		r, err := FromResult(res)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	for i, r := range rows {
		if i >= len(got) || got[i] != r {
			t.Fatalf("read back as\n%+v, want\n%+v", got, rows)
		}
	}
	other := &benchfmt.Result{Name: benchfmt.Name("Smaug/place=stack"),
		Values: []benchfmt.Value{{Value: 1, Unit: "sec/op"}}}
	if r, err := FromResult(other); err == nil {
		t.Errorf("a foreign record is read as %+v", r)
	}
}
