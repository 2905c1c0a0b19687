package whytext

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/escape"
	"memcost/internal/why"
)

const page = "../../docs/why.md"

// causeRows returns the rows of the page's table of the compiler's causes.
func causeRows() string {
	var b strings.Builder
	for c := escape.Uncategorised + 1; c.String() != escape.Uncategorised.String(); c++ {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c, c.Words(), c.Fix())
	}
	return b.String()
}

// The page has each cause that the compiler's statements can have, with its words and its fix,
// and no other.
func TestCausesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	const header = "| cause | in words | usual fix |\n|---|---|---|\n"
	_, table, ok := strings.Cut(string(text), header)
	if !ok {
		t.Fatalf("%s has no table of causes", page)
	}
	table, rest, _ := strings.Cut(table, "\n\n")
	want := causeRows()
	if table+"\n" == want {
		return
	}
	if *update {
		all := strings.Replace(string(text), header+table+"\n\n"+rest, header+want+"\n"+rest, 1)
		if err := os.WriteFile(filepath.FromSlash(page), []byte(all), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the table of causes in %s is another one (go test -update ./internal/whytext writes it anew); want\n%s", page,
		want)
}

// The page names each class and its letter as the margin has it.
func TestClassesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []why.Class{why.CertainHeap, why.Conditional, why.RuntimeOnly, why.NeverExecuted} {
		if row := fmt.Sprintf("| %s | %s | ", c, letters[c]); !strings.Contains(string(text), row) {
			t.Errorf("%s has no row %q", page, row)
		}
	}
	if len(letters) != 4 {
		t.Errorf("there are %d classes", len(letters))
	}
}
