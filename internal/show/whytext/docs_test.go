package whytext

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/sites"
)

const page = "../../../docs/why.md"

// The page names each class and its letter as the margin has it.
func TestClassesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []sites.Class{sites.CertainHeap, sites.Conditional, sites.RuntimeOnly, sites.NeverExecuted} {
		if row := fmt.Sprintf("| %s | %s | ", c, letters[c]); !strings.Contains(string(text), row) {
			t.Errorf("%s has no row %q", page, row)
		}
	}
	if len(letters) != 4 {
		t.Errorf("there are %d classes", len(letters))
	}
}
