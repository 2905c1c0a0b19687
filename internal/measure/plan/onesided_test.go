package plan

import (
	"slices"
	"strings"
	"testing"
)

func TestOnAll(t *testing.T) {
	cases := func(names string) (out []Case) {
		for _, n := range strings.Fields(names) {
			base, _, _ := strings.Cut(n, "-")
			out = append(out, Case{Name: n, Base: base})
		}
		return out
	}
	p := &Plan{Sides: []Side{{Name: "old"}, {Name: "new"}, {Name: "other"}}, Studies: []Study{{Name: "s"}, {Name: "t"}},
		Failures: []Failure{{Study: 1, Name: "Dies", Side: "new"}, {Study: 0, Name: "Elsewhere", Side: "new"}}}
	both, oneSided := OnAll(p, 1, []int{0, 1}, [][]Case{
		cases("A Gone Gone-2 Dies/x B/y Elsewhere"), cases("B/y A New"),
	})
	var names []string
	for _, c := range both {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"A", "B/y"}) {
		t.Errorf("on both: %q", names)
	}
	names = nil
	for _, x := range oneSided {
		names = append(names, x.Study+" "+x.Name+" "+strings.Join(x.On, ","))
	}
	if want := []string{"t Gone old", "t Elsewhere old", "t New new"}; !slices.Equal(names, want) {
		t.Errorf("one-sided: %q, want %q", names, want)
	}
}
