package claim

import (
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/study/language"
)

const viewsTOML = `ask = "What?"

[sets]
places = ["heap = place:heap", "stack = place:stack"]

[[table]]
title = "Right"
by = "size"
columns = ["heap = place:heap", "ratio = place:heap / place:stack"]

[[table]]
title = "No such rows"
by = "sise"
columns = ["heap = plaec:heap"]

[[table]]
title = "One of two"
by = "size"
of = "Smaug"
columns = [
  "heap = place:heap",
  "ratio = place:heap / place:hole",
]

[[table]]
title = "By sets"
by = "size"
each = ["places"]
cases = "szie:8"

[[table]]
title = "Of another"
by = "size"
of = "Smaugg"
columns = ["heap = place:heap"]
`

// What a table shows nothing for is named with its line, and the nearest word.
func TestViewWarnings(t *testing.T) {
	show, err := language.ReadShow("memcost.toml", []byte(viewsTOML))
	if err != nil {
		t.Fatal(err)
	}
	st, err := language.Parse("s", nil, show)
	if err != nil {
		t.Fatal(err)
	}
	cases := []*benchfmt.Result{{Name: benchfmt.Name("Smaug/place=heap/size=8-2")},
		{Name: benchfmt.Name("Smaug/place=stack/size=8-2")}}
	rows := `memcost.toml:11: by = "sise": no benchmark has this key: did you mean size?`
	column := `memcost.toml:14: column heap: no benchmark matches "plaec:heap": none has the key plaec: did you mean ` +
		`place?`
	ratio := `memcost.toml:22: column ratio: no benchmark matches "place:hole"`
	sets := []string{
		`memcost.toml:29: column heap: no benchmark matches "place:heap szie:8": none has the key szie: did you mean ` +
			`size?`,
		`memcost.toml:29: column stack: no benchmark matches "place:stack szie:8": none has the key szie: did you mean ` +
			`size?`}
	of := `memcost.toml:35: column heap: there is no benchmark "Smaugg": did you mean Smaug?`
	want := slices.Concat([]string{column, rows, ratio}, sets, []string{of})
	if got := viewWarnings(st, false, cases); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	want = slices.Concat([]string{column, rows}, sets, []string{of})
	if got := viewWarnings(st, true, cases); !slices.Equal(got, want) {
		t.Errorf("of a shipped study: %q\nwant %q", got, want)
	}
}
