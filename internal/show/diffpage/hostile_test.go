package diffpage

import (
	"reflect"
	"strings"
	"testing"

	"memcost/internal/show/pagetest"
	"memcost/internal/sites/diff"
)

func spoiled(t *testing.T, attack string) string {
	all := append(diffs(t), many(t, 20)...)
	pagetest.Spoil(reflect.ValueOf(all), attack, "Mode", "Kind", "Only")
	return render(t, all, Options{Invocation: "memcost" + attack})
}

// Whatever stands in a comparison, the page has the same elements and attributes as with harmless
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
		if n := strings.Count(page, "</script>"); n != 2 {
			t.Errorf("%q: %d scripts end, there are 2", a, n)
		}
	}
}

// A name of a site that is markup is a text in the script's data, too.
func TestHostileData(t *testing.T) {
	old, now := reports(t)
	now.Sites[3].Function = "</script><script>alert(1)</script>"
	if html := render(t, diff.CompareAll(old, now), Options{}); strings.Contains(html, "<script>alert") {
		t.Error("a function's name is a script")
	}
}
