package escape

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Advice depends on the expression: where no fix is known to help there is none.
func TestAdvice(t *testing.T) {
	source := `package p

type node struct{ next *node }

func a(n int) []byte { return make([]byte, n) }
func b() *node { return &node{} }
func c(x *node) { x.next = &node{} }
func d(x []*node) []*node { return append(x, &node{}) }
func e(b []byte) string { return string(b) }
func f(b []byte) { keep(string(b)) }
func g() error { return &fault{} }
func h(a, b string) string { return a + b }
func i(all []string) (s string) { for _, x := range all { s += x }; return s }
func j(x *node) { x.all = make([]*node, 0, 2) }
`
	src, err := SourceOf(fstest.MapFS{"p.go": {Data: []byte(source)}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cause Cause
		fn    string
		says  string
		want  string
	}{
		{ReturnedPointer, "a", "make([]byte, n) escapes to heap", "let the caller hand in a slice to fill"},
		{VariableMake, "a", "make([]byte, n) escapes to heap", "let the caller hand in a slice to fill"},
		{ReturnedPointer, "b", "&node{} escapes to heap", ReturnedPointer.Fix()},
		{StoredPointer, "c", "&node{} escapes to heap", ""},
		{TextConversion, "e", "string(b) escapes to heap", ""},
		{TextConversion, "f", "string(b) escapes to heap", TextConversion.Fix()},
		{Concatenation, "h", "a + b escapes to heap", ""},
		{Concatenation, "i", "s + x escapes to heap", "use a strings.Builder with Grow"},
		{StoredPointer, "j", "make([]*node, 0, 2) escapes to heap", ""},
		{MapLiteral, "j", "make(map[int]int) escapes to heap", ""},
	} {
		line := 1 + strings.Count(source[:strings.Index(source, "func "+c.fn+"(")], "\n")
		subject, _, _ := strings.Cut(c.says, " escapes")
		d := Diagnostic{File: "p.go", Line: line, Col: 1, Kind: EscapesToHeap, Subject: subject, Message: c.says}
		if got := Advice(d, c.cause, src); got != c.want {
			t.Errorf("%v of %s in %s: %q, want %q", c.cause, c.says, c.fn, got, c.want)
		}
	}
	appended := Diagnostic{Kind: EscapesToHeap, Subject: "&node{}", flow: "" +
		"  flow: {heap} ← &{storage for &node{}}:\n    from &node{} (spill) at p.go:8:1\n" +
		"    from append(x, &node{}) (appended to slice) at p.go:8:1\n"}
	if got := Advice(appended, StoredPointer, nil); got != "keep values in the slice instead of pointers to them" {
		t.Errorf("appended: %q", got)
	}
	boxed := Diagnostic{Kind: EscapesToHeap, Subject: "&fault{}", flow: "" +
		"  flow: ~r0 ← &{storage for &fault{}}:\n    from &fault{} (spill) at p.go:11:1\n" +
		"    from &fault{} (interface-converted) at p.go:11:1\n    from return error(&fault{}) (return) at p.go:11:1\n"}
	if got := Advice(boxed, ReturnedPointer, nil); got != "" {
		t.Errorf("an error: %q", got)
	}
}

// What holds pointers, or has 16 bytes, shares no block with others; of unknown types nothing is said.
func TestLarge(t *testing.T) {
	source := `package p

import "other"

type small struct{ a, b int32 }
type pair struct{ a, b int }
type list struct{ next *list }
type far struct{ t other.T }

func a(x any) {
	a(&small{})
	a(&pair{})
	a(&list{})
	a(&far{})
	a(new(int))
	a(new([3]int))
	a(make([]byte, 8))
	a(make([]string, 1))
	a(string(text))
	var n int
	var l list
	a(inlined())
	a([]byte{1, 2})
	a([]int{1, 2})
	a([]*int{nil})
	a(1 << 3)
	a(nil)
}

func inlined() *list { return nil }
`
	src, err := SourceOf(fstest.MapFS{"p.go": {Data: []byte(source)}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	for subject, want := range map[string]bool{"&small{}": false, "&pair{}": true, "&list{}": true, "&far{}": false,
		"new(int)": false, "new([3]int)": true, "make([]byte, 8)": false, "make([]string, 1)": true, "string(text)": false,
		"[]byte{1, 2}": false, "[]int{1, 2}": true, "[]*int{nil}": true,
		"n": false, "l": true, "&small{...}": false, "1 << 3": false, "nil": false} {
		at, kind := "a("+subject+")", EscapesToHeap
		switch {
		case len(subject) == 1:
			at, kind = "var "+subject+" ", MovedToHeap
		case strings.Contains(subject, "..."):
			at = "a(inlined())" // the compiler speaks of what was inlined
		}
		line := 1 + strings.Count(source[:strings.Index(source, at)], "\n")
		if got := src.large(Diagnostic{File: "p.go", Line: line, Col: 4, Kind: kind, Subject: subject}); got != want {
			t.Errorf("%s: %v", subject, got)
		}
	}
}
