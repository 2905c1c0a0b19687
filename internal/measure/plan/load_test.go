package plan

import (
	"slices"
	"testing"

	"memcost/internal/study/language"
)

func TestBeside(t *testing.T) {
	for _, tt := range []struct{ name, base, load, want string }{
		{"Bilbo-2", "Bilbo", "1", "Bilbo/busy=1-2"},
		{"Bilbo", "Bilbo", "0", "Bilbo/busy=0"},
		{"Smaug/place=stack/size=64-16", "Smaug/place=stack/size=64", "all", "Smaug/busy=all/place=stack/size=64-16"},
		{"Malloc/op=a/size=64", "Malloc/op=a/size=64", "16", "Malloc/busy=16/op=a/size=64"},
	} {
		c := Case{Name: tt.name, Base: tt.base}
		x := c.Beside(tt.load, 4)
		if x.Name != tt.want || x.Base != tt.base || x.Printed() != tt.name || x.Busy != tt.load {
			t.Errorf("%s beside %s: %+v, printed as %s", tt.name, tt.load, x, x.Printed())
		}
		if c.Printed() != tt.name {
			t.Errorf("%s is printed as %s", tt.name, c.Printed())
		}
	}
	for load, want := range map[string]int{"0": 0, "1": 1, "7": 7, "all": 4} {
		if n, ok := Spinning(load, 4); n != want || !ok {
			t.Errorf("%s on 4 CPUs: %d, %v", load, n, ok)
		}
	}
	for _, load := range []string{"", "-1", "01", "+1", "1.5", "All", "1025", "99999999999999999999", "1 "} {
		if n, ok := Spinning(load, 4); ok {
			t.Errorf("%q is taken for %d", load, n)
		}
	}
}

// Configurations of the same case have the same code; a benchmark's own parameters are
// other code.
func TestCode(t *testing.T) {
	p := &Plan{Studies: []Study{{Name: "go"}, {Name: "cpp", Google: true, Variants: []language.Variant{
		{Keys: "allocator=glibc/setting=default"}, {Keys: "allocator=je/setting=x"}}}}}
	c := func(study int, name, base, call string) Case {
		return Case{Study: study, Name: name, Base: base, Call: call}
	}
	code := func(c Case) string { return p.Code(c) }
	heap := c(0, "X/place=heap/size=64", "X/place=heap/size=64", "")
	procs := c(0, "X/place=heap/size=64-2", heap.Base, "")
	for _, same := range []Case{heap.Beside("1", 2), heap.Beside("all", 2), procs} {
		if code(same) != code(heap) {
			t.Errorf("%s is %q, %s is %q", same.Name, code(same), heap.Name, code(heap))
		}
	}
	malloc := c(1, "M/allocator=glibc/setting=default/size=64", "", "M/setting=default/size=64")
	je := c(1, "M/allocator=je/setting=x/size=64", "", "M/setting=x/size=64")
	if code(malloc) != code(je) || code(malloc) != code(je.Beside("1", 2)) {
		t.Errorf("%q and %q", code(malloc), code(je))
	}
	other := []Case{heap, c(0, "X/place=stack/size=64", "X/place=stack/size=64", ""),
		c(0, "X/place=heap/size=128", "X/place=heap/size=128", ""), malloc,
		c(1, "M/allocator=glibc/setting=default/size=128", "", "M/setting=default/size=128"),
		c(1, heap.Name, heap.Base, "")}
	for i, a := range other {
		for _, b := range other[i+1:] {
			if code(a) == code(b) {
				t.Errorf("%s and %s both are %q", a.Name, b.Name, code(a))
			}
		}
	}
}

func TestNamesOf(t *testing.T) {
	p := &Plan{Studies: []Study{{Name: "a"}, {Name: "b"}}}
	add := func(study int, base, suffix string, loads ...string) {
		c := Case{Study: study, Name: base + suffix, Base: base}
		if len(loads) == 0 {
			p.Cases = append(p.Cases, c)
		}
		for _, l := range loads {
			p.Cases = append(p.Cases, c.Beside(l, 2))
		}
	}
	add(0, "X/size=1", "-2", "0", "1")
	add(0, "Y/size=1", "-2")
	add(1, "X/size=1", "")
	for _, tt := range []struct {
		study int
		base  string
		want  []string
	}{
		{0, "X/size=2", []string{"X/busy=0/size=2-2", "X/busy=1/size=2-2"}},
		{0, "Y/size=2", []string{"Y/size=2-2"}},
		{1, "X/size=2", []string{"X/size=2"}},
	} {
		if got := NamesOf(p, tt.study, tt.base); !slices.Equal(got, tt.want) {
			t.Errorf("%s of %d: %q, want %q", tt.base, tt.study, got, tt.want)
		}
	}
	p.Options.Load = []string{"all"}
	p.Cases = p.Cases[:0]
	if got := NamesOf(p, 0, "Z"); !slices.Equal(got, []string{"Z/busy=all"}) {
		t.Errorf("%q", got)
	}
}
