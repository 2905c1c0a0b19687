package explain

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"memcost/internal/base/hint"
)

const decoder = `package codec

// Decode decodes.
//
//memcost:allocs 0
func (d *Decoder[T]) Decode(p []byte) error {
	if len(p) == 0 {
		panic("no bytes: " +
			d.name)
	}
	return nil
}

//memcost:allocs 2.5 // a buffer, and sometimes its growth

func notMine() {}

func lines(n int) {
	a := make([]byte, n) //memcost:allocs 1
	//memcost:allocs 0
	b := func() int {
		return len(a)
	}
	_ = b
}

func trailing() { //memcost:allocs 3
}

//memcost:allocs 0
var table = []int{1}

// A comment may speak of //memcost:allocs and of // memcost:allocs as it likes.
type Decoder[T any] struct{ name string }
`

func budgets(t *testing.T, text string) ([]Budget, error) {
	t.Helper()
	return ReadBudgets(fstest.MapFS{"codec/decode.go": {Data: []byte(text)},
		"codec/other.txt": {Data: []byte("//memcost:allocs x")}}, "codec")
}

func TestRead(t *testing.T) {
	found, err := budgets(t, decoder)
	if err == nil || !strings.Contains(err.Error(), "codec/decode.go:14: the budget stands neither in") {
		t.Errorf("a budget above an empty line: %v", err)
	}
	var got []string
	for _, b := range found {
		got = append(got, fmt.Sprint(b.Line, " ", b.Allocs, " ", b.Place(), " ", b.First, "-", b.Last, " in ",
			b.Function))
	}
	want := []string{
		"5 0 (*Decoder).Decode 6-12 in (*Decoder).Decode",
		"19 1 codec/decode.go:19 19-19 in lines",
		"20 0 codec/decode.go:21 21-21 in lines",
		"27 3 trailing 27-28 in trailing",
		"30 0 codec/decode.go:31 31-31 in ",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Each mistake is an error with the line and a hint.
func TestReadFailsLoudly(t *testing.T) {
	for comment, want := range map[string]string{
		"//memcost:allocs":       "is not //memcost:allocs with one number",
		"//memcost:allocs 1 2":   "is not //memcost:allocs with one number",
		"//memcost:allocs=1":     "is not //memcost:allocs with one number",
		"//memcost:allocs -1":    `"-1" is not a number of allocations`,
		"//memcost:allocs none":  `"none" is not a number of allocations`,
		"//memcost:allocs NaN":   `"NaN" is not a number of allocations`,
		"//memcost:alloc 1":      "//memcost:alloc is no directive",
		"//memcost:allocation 1": "//memcost:allocation is no directive",
		"// memcost:allocs 1":    "a space stands between",
	} {
		found, err := budgets(t, "package codec\n\n"+comment+"\nfunc f() {}\n")
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "codec/decode.go:3: ") ||
			!strings.Contains(err.Error(), "\nhint: write //memcost:allocs") || !hint.IsUsage(err) || len(found) > 0 {
			t.Errorf("%s: %v, %v", comment, found, err)
		}
	}
	for text, want := range map[string]string{
		"package codec\n\n//memcost:allocs 1\n//memcost:allocs 2\nfunc f() {}\n": "codec/decode.go:4: there is a " +
			"second budget for f",
		"package codec\n\n//memcost:allocs 1\nfunc f()\n":      "f has no body in Go",
		"package codec\n\nfunc f( { //memcost:allocs 0\n}\n":   "codec/decode.go:3:9",
		"package codec\n\nfunc f() {}\n\n//memcost:allocs 0\n": "codec/decode.go:5: the budget stands neither",
	} {
		if _, err := budgets(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadBudgets(fstest.MapFS{}, "nowhere"); err == nil {
		t.Error("a folder that does not exist has budgets")
	}
}
