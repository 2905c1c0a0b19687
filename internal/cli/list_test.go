package cli

import (
	"strings"
	"testing"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/text"
)

func TestListFitsTheTerminal(t *testing.T) {
	studies := []listedText{{Name: "stackheap",
		Question: "At which size, if any, does handing a value over by pointer " +
			"on the heap become cheaper than copying it?",
		Groups: []listedGroup{{Items: [][2]string{{"Smaug", "hands a struct of 1 KiB to 1 MiB through a generic " +
			"function"}}}, {Title: "claims", Items: [][2]string{{"S1", "The stack is faster at every size."}}}}}}
	for _, width := range []int{0, 40, 80} {
		var b strings.Builder
		if err := writeList(&b, studies, text.Style{Width: width}); err != nil {
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
