package cli

import (
	"strings"
	"testing"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/terminal"
)

func TestListFitsTheTerminal(t *testing.T) {
	studies := []listed{{Study: "stackheap",
		Question: "At which size, if any, does handing a value over by pointer " +
			"on the heap become cheaper than copying it?",
		Benchmarks: []listedItem{{Name: "Smaug", Doc: "hands a struct of 1 KiB to 1 MiB through a generic function"}},
		Claims:     []listedItem{{Name: "S1", Doc: "The stack is faster at every size."}}}}
	for _, width := range []int{0, 40, 80} {
		var b strings.Builder
		if err := terminal.Write(&b, listDocument(studies, false), terminal.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			if w := pretty.StringWidth(strings.TrimSuffix(l, "\n")); width > 0 && w > width {
				t.Errorf("%d columns, not %d: %q", w, width, l)
			}
		}
		words := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range []string{"stackheap At which size, if any,", "cheaper than copying it?",
			"claims S1 The stack is faster at every size."} {
			if !strings.Contains(words, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, b.String())
			}
		}
	}
}
