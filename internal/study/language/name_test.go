package language

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestNamesMeanCases(t *testing.T) {
	for _, x := range []struct {
		word, name string
		behind     string // "no" where the name does not mean the case
	}{
		{"BenchmarkOld", "Old-8", "[] []"},
		{"Old", "Old", "[] []"},
		{"Old", "Older-8", "no"},
		{"Old", "Old/small-8", "[small] []"},
		{"BenchmarkOld/small", "Old/small-8", "[] []"},
		{"Old/small", "Old/smaller-8", "no"},
		{"Old/small", "Old/large/small-8", "no"},
		{"Old/small", "Old/small/hot-8", "[hot] []"},
		{"Old/small", "Old/busy=1/small/size=16-8", "[] [[busy 1] [size 16]]"},
		{"Encode/lib=std", "Encode/size=16/lib=std-2", "[] [[size 16]]"},
		{"Encode/lib=std", "Encode/lib=stdlib-2", "no"},
		{"Old-8", "Old-8", "[] []"},
		{"Old-8", "Old-2", "no"},
		{"Old/size-4", "Old/size-4", "[] []"}, // GOMAXPROCS=1, or 4
		{"Old/size-4", "Old/size-4-2", "[] []"},
		{"Old", "Old/gomaxprocs=4", "[] []"},
	} {
		n := ParseName(x.word)
		got := "no"
		if n.Match(benchfmt.Name(x.name)) {
			bare, keys := n.Behind(benchfmt.Name(x.name))
			got = fmt.Sprint(bare, keys)
		}
		if got != x.behind {
			t.Errorf("%s, of which %s has %s, want %s", x.word, x.name, got, x.behind)
		}
	}
}

func TestWordsThatAreNames(t *testing.T) {
	for word, want := range map[string]bool{
		"BenchmarkOld": true, "Old": true, "Old/small": true, "_x": true, "Ärger": true, "Old/place=heap": true,
		"place:heap": false, "Place:heap": false, "*": false, "old": false, "B/op": false, "MB/s": false, "OR": false,
		".name:Old": false, "": false, "/": false, "<": false, "(Old": false,
	} {
		if Is(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}

func TestKeysAndTerms(t *testing.T) {
	n := ParseName("BenchmarkEncode/small/lib=std-8")
	if keys := n.Keys(); !slices.Equal(keys, []string{"lib", "gomaxprocs"}) {
		t.Errorf("keys %q", keys)
	}
	if terms := n.Terms(); !slices.Equal(terms, []string{".name:Encode", "small", "lib:std"}) {
		t.Errorf("terms %q", terms)
	}
	if keys := ParseName("Old/small").Keys(); len(keys) > 0 {
		t.Errorf("keys %q", keys)
	}
}
