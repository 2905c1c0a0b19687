package language

import (
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestFullSelectsWhatQuickLeavesOut(t *testing.T) {
	st, err := Parse("s", []Directive{{Verb: "full", Text: "-size:(1024 OR 4096) # why", Scope: "Read"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"Read/size=1024-2": false, "Read/size=2048-2": true, "Read/size=4096-2": false, "Write/size=2048-2": false,
	} {
		if got := st.Full[0].Match(&benchfmt.Result{Name: benchfmt.Name(name)}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
