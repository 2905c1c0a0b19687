package plan

import (
	"regexp"
	"slices"
	"testing"
)

// Names with what means something in a regular expression, or to -test.bench.
var awkward = []string{"X", "X/a", "X/a.b", "X/a|b/c", "X/[1:2]", "X/f(x)", "X/a-2", `X/a\b`, "X/$HOME^", "X/a/b",
	"X/#01", "X/{3}", "X/ä*+?", "X/]["}

// Exactly selects its own name and no other, as the testing package splits it.
func TestExactly(t *testing.T) {
	for _, name := range awkward {
		p, err := New(Exactly(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, other := range awkward {
			if got := selects(p, "Benchmark"+other); got != (other == name) {
				t.Errorf("Exactly(%q) = %q selects %q: %v", name, Exactly(name), other, got)
			}
		}
	}
}

// selects applies a pattern to a full name.
func selects(p Pattern, name string) bool {
	parts := regexp.MustCompile("/").Split(name, -1)
	for _, a := range p {
		ok := len(a) <= len(parts)
		for i := range min(len(a), len(parts)) {
			ok = ok && regexp.MustCompile(a[i]).MatchString(parts[i])
		}
		if ok && len(a) == len(parts) {
			return true
		}
	}
	return false
}

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		bench, name string
		top         bool
		within      string
	}{
		{"", "Encode", true, "^BenchmarkEncode$"},
		{".", "Encode", true, "^BenchmarkEncode$"},
		{"Enc", "Encode", true, "^BenchmarkEncode$"},
		{"Dec", "Encode", false, ""},
		{"Encode/size=16", "Encode", true, "^BenchmarkEncode$/size=16"},
		{"Encode|Decode/small", "Encode", true, "^BenchmarkEncode$"},
		{"Encode|Decode/small", "Decode", true, "^BenchmarkDecode$/small"},
		{"Encode/a|Encode/b", "Encode", true, "^BenchmarkEncode$/a|^BenchmarkEncode$/b"},
		{"(Enc|Dec)ode/a", "Decode", true, "^BenchmarkDecode$/a"},
		{"Encode/[a/b]", "Encode", true, "^BenchmarkEncode$/[a/b]"},
		{`Encode/a\|b`, "Encode", true, `^BenchmarkEncode$/a\|b`},
		{"/a", "Encode", true, "^BenchmarkEncode$/a"},
	} {
		p, err := New(c.bench)
		if err != nil {
			t.Errorf("-bench %q: %v", c.bench, err)
			continue
		}
		if got := p.Top("Benchmark" + c.name); got != c.top {
			t.Errorf("-bench %q asks for %s: %v", c.bench, c.name, got)
		}
		if c.top {
			if got := p.Within(c.name); got != c.within {
				t.Errorf("-bench %q within %s: %s, want %s", c.bench, c.name, got, c.within)
			}
		}
	}
	for _, bad := range []string{"(", "a/[", "a|*", `a\`} {
		if Check(bad) == nil {
			t.Errorf("-bench %q: no error", bad)
		}
	}
}

func TestUnmatched(t *testing.T) {
	p := &Plan{Cases: []Case{{Base: "Encode/n=1"}, {Base: "Decode"}},
		Failures: []Failure{{Name: "Broken"}}}
	for bench, want := range map[string][]string{
		"":                          nil,
		"Nothing":                   nil, // an error of its own
		"Encode|Decode":             nil,
		"Encode|Dekode":             {"Dekode"},
		"Encode/n=1|Encode/n=2":     {"Encode/n=2"},
		"Broken|^BenchmarkDecode$":  nil,
		"Broken/part|Decode":        nil,
		"Enc(ode|x)|[D|e]cod/a|Foo": {"[D|e]cod/a", "Foo"},
	} {
		p.Options.Bench = bench
		if got := Unmatched(p); !slices.Equal(got, want) {
			t.Errorf("-bench %q: %q, want %q", bench, got, want)
		}
	}
}
