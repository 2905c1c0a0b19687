package join

import (
	"cmp"
	"slices"
	"strings"

	"memcost/internal/gotool/escape"
)

// fit says how well a diagnostic explains a call of the runtime: 0 is not at all. The target is
// "" where the binary is not at hand.
func fit(target string, s *escape.Site) int {
	if s.Static || !s.Kind.Heap() && !s.Diagnostic.Conditional() {
		return 0
	}
	kind := subjectOf(s)
	for _, r := range expected {
		if strings.HasPrefix(target, r.prefix) {
			switch {
			case slices.Contains(r.best, kind):
				return 4
			case slices.Contains(r.may, kind):
				return 2
			}
			return 0
		}
	}
	if target == "" {
		return 1
	}
	return 0
}

// A subject is what a diagnostic speaks of, as far as it decides which function of the runtime
// is called.
type subject string

const (
	variable   subject = "variable"   // moved to heap: x
	pointer    subject = "pointer"    // &T{…}, new(T)
	literal    subject = "literal"    // T{…}, []T{…}, "... argument", a map literal
	closure    subject = "closure"    // func literal, method value
	making     subject = "make"       // make([]T, n)
	mapping    subject = "map"        // make(map[K]V), map literal
	appending  subject = "append"     //
	conversion subject = "conversion" // string(b), []byte(s)
	joining    subject = "joining"    // a + b
	channel    subject = "channel"    // make(chan T)
	value      subject = "expression" // x escapes to heap: boxed, mostly
)

func subjectOf(s *escape.Site) subject {
	x := s.Subject
	switch {
	case s.Kind == escape.MovedToHeap:
		return variable
	case strings.HasPrefix(x, "&"), strings.HasPrefix(x, "new("):
		return pointer
	case strings.HasPrefix(x, "make(map["), strings.HasPrefix(x, "map["):
		return mapping
	case strings.HasPrefix(x, "make(chan"):
		return channel
	case strings.HasPrefix(x, "make("):
		if s.Cause == escape.MapLiteral {
			return mapping
		}
		return making
	case x == "append", strings.HasPrefix(x, "append("):
		return appending
	case x == "func literal", s.Cause == escape.MethodValue,
		s.Cause == escape.ClosureCapture && strings.Contains(x, "func"):
		return closure
	case s.Cause == escape.TextConversion, strings.HasPrefix(x, "string("), strings.HasPrefix(x, "[]byte("),
		strings.HasPrefix(x, "([]byte)("), strings.HasPrefix(x, "[]rune("), strings.HasPrefix(x, "([]rune)("):
		return conversion
	case s.Cause == escape.Concatenation, strings.Contains(x, " + "):
		return joining
	case x == "... argument", strings.HasSuffix(x, "}"), strings.HasSuffix(x, " literal"):
		return literal
	}
	return value
}

// expected are the subjects of diagnostics that explain calls of each function of the runtime
// (cmd/compile/internal/walk, Go 1.13 to 1.27): surely, and perhaps.
var expected = []struct {
	prefix    string
	best, may []subject
}{
	{"runtime.newobject", []subject{variable, pointer, literal, closure}, []subject{value, making, mapping, channel,
		appending, conversion}},
	{"runtime.mallocgc", []subject{variable, pointer, literal, closure}, []subject{value, making, mapping, appending,
		conversion, joining}},
	{"runtime.newarray", []subject{variable, literal, making}, []subject{pointer, value}},
	{"runtime.makeslicecopy", []subject{making, appending}, []subject{value}},
	{"runtime.makeslice", []subject{making}, []subject{appending, literal, value}},
	{"runtime.growslice", []subject{appending}, []subject{value}},
	{"runtime.moveSlice", []subject{appending}, []subject{making, value}},
	{"runtime.makechan", []subject{channel}, nil},
	{"runtime.makemap", []subject{mapping}, []subject{literal, value}},
	{"internal/runtime/maps.New", []subject{mapping}, []subject{literal, value}},
	{"internal/runtime/maps.new", []subject{mapping}, []subject{literal, value}},
	{"runtime.mapassign", nil, nil},
	{"runtime.convT", []subject{value, conversion, joining, literal}, []subject{variable, pointer}},
	{"runtime.concat", []subject{joining}, []subject{value}},
	{"runtime.slicebytetostring", []subject{conversion}, []subject{value}},
	{"runtime.stringtoslice", []subject{conversion}, []subject{value}},
	{"runtime.slicerunetostring", []subject{conversion}, []subject{value}},
	{"runtime.intstring", []subject{conversion}, []subject{value}},
	{"runtime.newproc", nil, nil},
	{"runtime.deferproc", nil, nil},
}

// choose returns which of the diagnostics on a line explains a call best, -1 for none. Several
// calls of a line, in the order of their addresses, take diagnostics that are not taken first,
// in the order of their columns. What was inlined is told apart by inner, the subjects at its own
// line.
func choose(d *diagnostics, on []int, target string, taken map[int]bool, inner map[string]bool) int {
	type candidate struct{ at, score int }
	var found []candidate
	for _, i := range on {
		score := 4 * fit(target, &d.sites[i])
		if score > 0 && inner[d.sites[i].Subject] {
			score += 2
		}
		if score > 0 && taken[i] {
			score--
		}
		if score > 0 {
			found = append(found, candidate{i, score})
		}
	}
	if len(found) == 0 {
		return -1
	}
	best := slices.MaxFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(d.sites[b.at].Col, d.sites[a.at].Col))
	})
	return best.at
}
