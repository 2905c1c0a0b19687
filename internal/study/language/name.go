// This part of the package reads names of benchmarks as people type them and as go test prints them:
// BenchmarkOld, Old/small, Encode/lib=std. It finds the cases that such a name means, and
// what stands behind the name in each of them.

package language

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"
)

// prefix stands before the name of every benchmark in Go source.
const namePrefix = "Benchmark"

// A Name means every case whose name begins with its parts. Parts that are key=value may
// stand anywhere in the case's name, and the others are counted without them: Old/small
// means Old/size=16/small, too.
type Name struct {
	readings []parts // of a name that ends in -8, which may be GOMAXPROCS, two
}

// parts are those of a name.
type parts struct {
	base  string      // before the first slash, without "Benchmark"
	bare  []string    // those without a key, in order
	keys  [][2]string // of key=value, in order
	procs string      // of the -N at the end, "" where there is none
}

// Is reports whether a word can be the name of a Go benchmark, and is no filter and no unit.
// A name with a colon, a comma, a quotation mark, a bracket or a star needs a filter.
func Is(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	_, unit, perOp := strings.Cut(word, "/")
	return (unicode.IsUpper(first) || first == '_') && !strings.ContainsAny(word, `:,"()*@`) &&
		word != "AND" && word != "OR" && !(perOp && slices.Contains([]string{"op", "s", "sec"}, unit))
}

// Parse reads a word that Is a name.
func ParseName(word string) Name {
	if bare := strings.TrimPrefix(word, namePrefix); bare != "" && bare[0] != '/' {
		word = bare
	}
	literal := partsOf(strings.Split(word, "/"))
	n := Name{readings: []parts{literal}}
	if at := procsSuffix.FindStringIndex(word); at != nil {
		with := partsOf(strings.Split(word[:at[0]], "/"))
		with.procs = word[at[0]+1:]
		n.readings = append(n.readings, with)
	}
	return n
}

// procsSuffix is what go test adds to a name, except where GOMAXPROCS is 1.
var procsSuffix = regexp.MustCompile(`-[1-9][0-9]*$`)

func partsOf(words []string) parts {
	p := parts{base: words[0]}
	for _, w := range words[1:] {
		if k, v, ok := strings.Cut(w, "="); ok {
			p.keys = append(p.keys, [2]string{k, v})
		} else {
			p.bare = append(p.bare, w)
		}
	}
	return p
}

// of returns the parts of a case's name.
func of(name benchfmt.Name) parts {
	base, rest := name.Parts()
	words := []string{string(base)}
	procs := ""
	for _, r := range rest {
		if n, ok := strings.CutPrefix(string(r), "-"); ok {
			procs = n
		} else {
			words = append(words, string(r[1:]))
		}
	}
	p := partsOf(words)
	p.procs = procs
	return p
}

// meant returns the reading of n in which it means a case.
func (n Name) meant(c parts) (parts, bool) {
	for _, r := range n.readings {
		if r.base == c.base && len(r.bare) <= len(c.bare) && slices.Equal(r.bare, c.bare[:len(r.bare)]) &&
			(r.procs == "" || r.procs == c.procs) &&
			!slices.ContainsFunc(r.keys, func(kv [2]string) bool { return !slices.Contains(c.keys, kv) }) {
			return r, true
		}
	}
	return parts{}, false
}

// Match reports whether the name means a case.
func (n Name) Match(name benchfmt.Name) bool {
	_, ok := n.meant(of(name))
	return ok
}

// Behind returns what a case's name has beside this name: its parts without a key in their
// order, and the others. GOMAXPROCS is none of them.
func (n Name) Behind(name benchfmt.Name) (bare []string, keys [][2]string) {
	c := of(name)
	r, _ := n.meant(c)
	keys = slices.DeleteFunc(c.keys, func(kv [2]string) bool {
		return kv[0] == "gomaxprocs" || slices.Contains(r.keys, kv)
	})
	return c.bare[min(len(r.bare), len(c.bare)):], keys
}

// Keys returns the keys that the name asks for.
func (n Name) Keys() []string {
	var out []string
	for _, kv := range n.readings[0].keys {
		out = append(out, kv[0])
	}
	if len(n.readings) > 1 {
		out = append(out, "gomaxprocs")
	}
	return out
}

// Terms returns the parts of the name as the terms of a filter, or, without a key, as they
// are: what tells it from another name.
func (n Name) Terms() []string {
	p := n.readings[len(n.readings)-1]
	out := append([]string{".name:" + p.base}, p.bare...)
	for _, kv := range p.keys {
		out = append(out, kv[0]+":"+kv[1])
	}
	return out
}
