package join

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

// runtimeCauses returns the rows of the causes that only the runtime knows: what causes.go makes
// with its function cause.
func runtimeCauses(t *testing.T) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "causes.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "cause" {
			var texts [3]string
			for i, arg := range call.Args {
				texts[i], _ = strconv.Unquote(arg.(*ast.BasicLit).Value)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", texts[0], texts[1], cmp.Or(texts[2], "none"))
		}
		return true
	})
	return b.String()
}

// The page has each cause that a site can have, with its words and its fix, and no other.
func TestCausesAreDocumented(t *testing.T) {
	table(t, "| cause | in words | usual fix |\n|---|---|---|\n", compilerCauses())
	table(t, "| cause of the runtime | in words | usual fix |\n|---|---|---|\n", runtimeCauses(t))
}

// table fails unless the page has a header with these rows below it, and no further ones.
func table(t *testing.T, header, rows string) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\n"+header+rows+"\n") {
		t.Errorf("%s does not have these causes alone:\n%s%s", page, header, rows)
	}
}
