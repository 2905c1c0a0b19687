package exchange

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// A case whose name a spreadsheet would compute, or a terminal act on, stands in CSV as text, and is read as it was.
func TestCSVHoldsNoFormula(t *testing.T) {
	for name, field := range map[string]string{"=1+1": "'=1+1", "+x": "'+x", "-x": "'-x", "@x": "'@x", "a=b": "a=b",
		"x\x1b[2J": `x\x1b[2J`, "a\u202eb": `a\u202eb`} {
		var b bytes.Buffer
		if err := WriteRows(&b, CSV, []Row{{Case: name, Unit: "sec/op", Value: 1e-9, N: 3}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), ","+field+",sec/op,") {
			t.Errorf("%q stands as %q", name, b.String())
		}
		read := ""
		if _, err := Read(&b, "x.csv", CSV, func(r *benchfmt.Result) error {
			read = string(r.Name)
			return nil
		}); err != nil || field[0] == '\'' && read != name {
			t.Errorf("%q is read as %q, %v", name, read, err)
		}
	}
}
