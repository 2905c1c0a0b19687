package whypage

import (
	"reflect"
	"strings"
	"testing"

	"memcost/internal/show/pagetest"
	"memcost/internal/sites"
)

func spoiled(t *testing.T, attack string) string {
	r, o := fixture(t)
	pagetest.Spoil(reflect.ValueOf(r), attack, "Mode", "Class", "Would", "Profiles", "Diff")
	for i := range r.Sites {
		if e := r.Sites[i].Edit; e != nil {
			e.Diff = strings.ReplaceAll(e.Diff, "\n", attack+"\n")
		}
	}
	source := strings.Repeat("x := y"+strings.ReplaceAll(attack, "\n", "")+"\n", 80)
	o.Read = func(string) ([]byte, error) { return []byte(source), nil }
	o.Invocation += attack
	return render(t, r, o)
}

// Whatever stands in a report, the page has the same elements and attributes as with harmless
// words, and the words as text.
func TestHostileWordsStayText(t *testing.T) {
	calm, _ := pagetest.Structure(t, spoiled(t, "harmless"))
	if len(calm) < 300 {
		t.Fatalf("only %d elements", len(calm))
	}
	for _, a := range pagetest.Attacks {
		page := spoiled(t, a)
		got, shown := pagetest.Structure(t, page)
		if strings.Join(got, "\n") != strings.Join(calm, "\n") {
			t.Errorf("%q: other elements", a)
		}
		if strings.ContainsAny(page, "\x00\x1b\u202e\u2066") {
			t.Errorf("%q: the page holds characters that change what stands around them", a)
		}
		plain := strings.IndexFunc(a, func(r rune) bool { return r < ' ' || r > '~' }) < 0
		if plain && strings.Count(shown, a) < 50 {
			t.Errorf("%q stands on the page %d times", a, strings.Count(shown, a))
		}
	}
}

// The data of the scripts end where they should.
func TestHostileData(t *testing.T) {
	r := &sites.Report{Mode: "benchmarks"}
	plain := len(data.FindString(render(t, r, Options{})))
	if plain == 0 {
		t.Fatal("the page has no data")
	}
	if got := strings.Count(spoiled(t, pagetest.Attacks[1]), "</script>"); got != 5 {
		t.Errorf("%d scripts end, there are 5", got)
	}
}
