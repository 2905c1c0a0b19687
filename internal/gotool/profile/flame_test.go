package profile

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/testkit"
)

// testdata/goV-NAME.prof are what testdata/capture.sh makes with that Go: create's
// of study/gccost (copy, pointer), and those of testdata/phases.
func captured(t testing.TB) []string {
	t.Helper()
	paths, _ := filepath.Glob("testdata/go*.prof")
	if len(paths) < 20 {
		t.Fatalf("%d captured profiles, want those of two Go versions", len(paths))
	}
	return paths
}

func read(t testing.TB, path string) *Profile {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return p
}

// pprofTop reads what go tool pprof -top printed: the unit is that of the profile.
func pprofTop(t *testing.T, path string) map[string]Function {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	number := func(s string) int64 {
		v, err := strconv.ParseInt(strings.TrimRight(s, "nsB"), 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return v
	}
	top, rows := map[string]Function{}, false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if !rows {
			rows = len(fields) > 0 && fields[0] == "flat"
			continue
		}
		name := strings.Join(fields[5:], " ")
		name = strings.TrimSuffix(strings.TrimSuffix(name, " (inline)"), " (partial-inline)")
		top[name] = Function{name, number(fields[0]), number(fields[3])}
	}
	if len(top) == 0 {
		t.Fatalf("%s: no rows", path)
	}
	return top
}

// What pprof says of the same file is what Top says, to the nanosecond.
func TestTopIsThatOfPprof(t *testing.T) {
	paths, _ := filepath.Glob("testdata/go*.top")
	for _, path := range paths {
		name, kind := strings.TrimSuffix(path, ".top"), ""
		if base, ok := strings.CutSuffix(name, "-alloc_space"); ok {
			name, kind = base, "alloc_space"
		}
		p := read(t, name+".prof")
		if kind != "" {
			var err error
			if p, err = p.Of(kind); err != nil {
				t.Fatal(err)
			}
		}
		want := pprofTop(t, path)
		got := p.Top(-1)
		for _, f := range got {
			if w, ok := want[f.Name]; !ok || f != w {
				t.Errorf("%s: %+v, pprof has %+v", path, f, w)
			}
			delete(want, f.Name)
		}
		if len(want) > 0 {
			t.Errorf("%s: pprof has %v, too", path, want)
		}
		if !slices.IsSortedFunc(got, func(a, b Function) int { return cmp.Compare(b.Flat, a.Flat) }) {
			t.Errorf("%s: not in order", path)
		}
		if n := len(p.Top(3)); n != min(3, len(got)) {
			t.Errorf("%s: the top 3 are %d", path, n)
		}
	}
}

// The golden file has each stack under its category, so that a change of either
// shows what moves.
func TestCategories(t *testing.T) {
	for _, path := range captured(t) {
		p, sums := read(t, path), map[string]int64{}
		total := 0.0
		var out bytes.Buffer
		for _, s := range p.Shares() {
			fmt.Fprintf(&out, "%-9s %7.3f%%\n", s.Category, s.Share*100)
			total += s.Share
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("%s: the shares add up to %v", path, total)
		}
		for _, s := range p.stacks {
			names := []string{}
			for _, f := range s.frames {
				names = append(names, f.name)
			}
			sums[fmt.Sprintf("%-9s %s", category(s.frames), strings.Join(names, " < "))] += s.value
		}
		lines := []string{}
		for line, v := range sums {
			lines = append(lines, fmt.Sprintf("%s  %d\n", line, v))
		}
		slices.Sort(lines)
		fmt.Fprintf(&out, "\n%s", strings.Join(lines, ""))
		testkit.Golden(t, strings.TrimSuffix(path, ".prof")+".categories", string(out.Bytes()))
	}
}

// Each phase of testdata/phases spends its time on one thing: that is what the
// shares say, in both versions.
func TestPhases(t *testing.T) {
	for name, want := range map[string]struct {
		category Category
		least    float64
	}{
		"compute": {User, 0.8}, "move": {Memory, 0.8}, "calls": {Syscall, 0.8}, "lookups": {Other, 0.5},
		"stacks": {Stack, 0.6}, "handover": {Sched, 0.4}, "allocate": {Alloc, 0.4}, "collect": {GC, 0.6},
	} {
		for _, version := range []string{"1.15.15", "1.27.4"} {
			p := read(t, fmt.Sprintf("testdata/go%s-%s.prof", version, name))
			for _, s := range p.Shares() {
				if s.Category == want.category && s.Share < want.least {
					t.Errorf("go%s: %s has %.3g of %s, want %g at least", version, name, s.Share, want.category,
						want.least)
				}
			}
		}
	}
}

func TestRecords(t *testing.T) {
	p := read(t, "testdata/go1.27.4-pointer.prof")
	config := benchfmt.Config{Key: "toolchain", Value: []byte("go1.27.4"), File: true}
	records := p.Records("Profiled/by=pointer/n=20000000", config)
	if len(records) != 1 || string(records[0].Name) != "Profiled/by=pointer/n=20000000" ||
		records[0].GetConfig("toolchain") != "go1.27.4" {
		t.Fatalf("the records are %+v", records)
	}
	value := func(unit string) float64 {
		v, ok := records[0].Value(unit)
		if !ok {
			t.Errorf("no value of %s", unit)
		}
		return v
	}
	inside, all := 0.0, 0.0
	for _, s := range p.Shares() {
		if v := value(string(s.Category) + "-share"); v != s.Share {
			t.Errorf("%s-share is %v, the share %v", s.Category, v, s.Share)
		}
		all += s.Share
		if s.Category != User && s.Category != Syscall && s.Category != Recording {
			inside += s.Share
		}
	}
	if got := value("runtime-share"); math.Abs(got-inside) > 1e-12 {
		t.Errorf("runtime-share is %v, want %v", got, inside)
	}
	if got, want := value("gc-sched-share"), value("gc-share")+value("sched-share"); math.Abs(got-want) > 1e-12 {
		t.Errorf("gc-sched-share is %v, want %v", got, want)
	}
	if got := value("profile-sec") * 100; math.Abs(got-value("samples")) > 1e-9 {
		t.Errorf("%v samples at 100 in a second are %v s", value("samples"), got/100)
	}
	var out bytes.Buffer
	if err := benchfmt.NewWriter(&out).Write(records[0]); err != nil ||
		!strings.Contains(out.String(), "BenchmarkProfiled/by=pointer/n=20000000 1 ") {
		t.Errorf("written: %v\n%s", err, &out)
	}
}
