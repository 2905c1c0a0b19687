package whytext

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites/join"
)

const page = "../../../docs/why.md"

// compilerCauses returns the rows of the page's table of the causes that the compiler's
// statements can have.
func compilerCauses() string {
	var b strings.Builder
	for c := escape.Uncategorised + 1; c.String() != escape.Uncategorised.String(); c++ {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c, c.Words(), c.Fix())
	}
	return b.String()
}

// runtimeCauses returns the rows of the causes that package why adds: the literals of type
// Cause in its source that have a key.
func runtimeCauses(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "sites", "join", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of package why: %v", err)
	}
	var b strings.Builder
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if texts := causeTexts(n); len(texts) == 3 && !strings.HasSuffix(file, "_test.go") {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", texts[0], texts[1], cmp.Or(texts[2], "none"))
			}
			return true
		})
	}
	return b.String()
}

// causeTexts returns the strings of a literal of type Cause, as far as they are written out.
func causeTexts(n ast.Node) []string {
	literal, ok := n.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	if name, ok := literal.Type.(*ast.Ident); !ok || name.Name != "Cause" {
		return nil
	}
	var texts []string
	for _, e := range literal.Elts {
		if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
			s, _ := strconv.Unquote(text.Value)
			texts = append(texts, s)
		}
	}
	return texts
}

// The page has each cause that a site can have, with its words and its fix, and no other.
func TestCausesAreDocumented(t *testing.T) {
	table(t, "| cause | in words | usual fix |\n|---|---|---|\n", compilerCauses())
	table(t, "| cause of the runtime | in words | usual fix |\n|---|---|---|\n", runtimeCauses(t))
}

// table compares the rows below a header of the page with those that it should have.
func table(t *testing.T, header, want string) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	before, below, ok := strings.Cut(string(text), header)
	if !ok {
		t.Fatalf("%s has no table %q", page, header)
	}
	rows, after := "", below
	if !strings.HasPrefix(below, "\n") {
		rows, after, _ = strings.Cut(below, "\n\n")
		rows, after = rows+"\n", "\n"+after
	}
	if rows == want {
		return
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash(page), []byte(before+header+want+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s has other causes (go test -update ./internal/show/whytext writes them anew) than\n%s", page, want)
}

// The page names each class and its letter as the margin has it.
func TestClassesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []join.Class{join.CertainHeap, join.Conditional, join.RuntimeOnly, join.NeverExecuted} {
		if row := fmt.Sprintf("| %s | %s | ", c, letters[c]); !strings.Contains(string(text), row) {
			t.Errorf("%s has no row %q", page, row)
		}
	}
	if len(letters) != 4 {
		t.Errorf("there are %d classes", len(letters))
	}
}
