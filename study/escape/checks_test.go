package escape

import (
	"go/build"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// at returns the number that holds for this Go.
func (h history) at() uint64 {
	allocs := h[0].allocs
	for _, s := range h[1:] {
		for _, t := range build.Default.ReleaseTags {
			if t == s.release {
				allocs = s.allocs
			}
		}
	}
	return allocs
}

// countAllocs does the operation n times. The runtime may make a few objects of its own
// meanwhile; the division by n drops them.
func countAllocs(n int, w work) uint64 {
	var before, after runtime.MemStats
	w(n, func() { runtime.ReadMemStats(&before) })
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / uint64(n)
}

func TestAllocations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, p := range pairs() {
		cases := p.cases()
		for i, want := range []uint64{p.allocs.at(), p.saved.at()} {
			got := countAllocs(1000, cases[i].work)
			if got != want && !(i == 0 && p.orMore && got > want) {
				t.Errorf("%s: %d allocs/op, want %d", cases[i].name, got, want)
			}
		}
	}
}

// Both forms of a cause do the same work: they return the same for the same i.
func TestFormsAgree(t *testing.T) {
	for _, p := range pairs() {
		p := p
		p.around(func(int, func()) {
			for i := 0; i < 300; i++ {
				if e, f := p.escapes(i), p.fixed(i); e != f {
					t.Errorf("cause=%s: operation %d returns %d in the escaping form and %d in the fixed one", p.cause,
						i, e, f)
				}
			}
		})(0, nil)
	}
}

// camel turns map-value into mapValue.
func camel(cause string) string {
	words := strings.Split(cause, "-")
	for i := range words[1:] {
		words[i+1] = strings.Title(words[i+1])
	}
	return strings.Join(words, "")
}

// The functions are named for their causes, so that the compiler's words about
// them can be found; and no cause stands twice.
func TestFunctionsAreNamedForCauses(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pairs() {
		if seen[p.cause] {
			t.Errorf("cause=%s stands twice", p.cause)
		}
		seen[p.cause] = true
		for form, f := range map[string]func(int) int{"Escapes": p.escapes, "Fixed": p.fixed} {
			name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
			if want := camel(p.cause) + form; name[strings.LastIndex(name, ".")+1:] != want {
				t.Errorf("cause=%s calls %s, want %s", p.cause, name, want)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d causes, want at least 20", len(seen))
	}
}

// What formats and converts produces the same text in both forms, not only the
// same length.
func TestTextsAgree(t *testing.T) {
	for i := 0; i < 300; i++ {
		if fmtEscapes(i) != fmtFixed(i) || printed.String() != string(keptLine) {
			t.Errorf("fmt: %q and %q", printed.String(), keptLine)
		}
		concatEscapes(i)
		if concatFixed(i); keptText != string(keptBytes) {
			t.Errorf("concat: %q and %q", keptText, keptBytes)
		}
		concatLoopEscapes(i)
		want := keptText
		if concatLoopFixed(i); keptText != want {
			t.Errorf("concat-loop: %q and %q", want, keptText)
		}
	}
}

// The allocations of the published benchmarks.
func TestPublishedAllocations(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	create := createCases()
	for _, c := range []struct {
		name string
		work work
		want uint64
	}{
		{"Empty", empty, 0}, {"StackIt", stackItLoop, 0}, {"StackIt2", stackIt2Loop, 1}, {"StackIt3", stackIt3Loop, 0},
		{"Create/" + create[0].name, create[0].work, 0}, {"Create/" + create[1].name, create[1].work, 1},
	} {
		if got := countAllocs(1000, c.work); got != c.want {
			t.Errorf("%s: %d allocs/op, want %d", c.name, got, c.want)
		}
	}
}

func TestHandedOver(t *testing.T) {
	n := 21
	if v, p, d := stackIt(n), stackIt2(n), stackIt3(&n); v != 42 || *p != 42 || d != 42 {
		t.Errorf("21 doubled is %d, %d and %d", v, *p, d)
	}
	if v, p := createCopy(n), createPointer(n); v != *p || v.A != n || v.F != "GHI" || !v.I {
		t.Errorf("created %+v and %+v", v, *p)
	}
	if size := reflect.TypeOf(BigStruct{}).Size(); size != 80 && runtime.GOARCH == "amd64" {
		t.Errorf("BigStruct has %d bytes, want 80", size)
	}
}
