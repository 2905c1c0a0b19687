package result

import (
	"fmt"
	"testing"
	"time"

	"memcost/internal/measure/plan"
)

// Runs are called by their label, else by the revision that they measured, and never by a
// folder's time where either is known; names are unique.
func TestLabels(t *testing.T) {
	const commit = "1be2ab7aa0c9a2d2f1c8"
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	of := func(revision string, modified bool) *plan.Source {
		return &plan.Source{Revision: revision, Commit: commit, Modified: modified}
	}
	for _, tt := range []struct {
		name    string
		answers []*Answer
		want    string
	}{
		{"folders", []*Answer{{Dir: "results/20261120-0930-a"}, {Dir: "results/20261121-0930-a"}},
			"[20261120-0930-a 20261121-0930-a]"},
		{"files of one name", []*Answer{{Dir: "x/a.txt"}, {Dir: "y/a.txt"}}, "[a.txt in x a.txt in y]"},
		{"the same file", []*Answer{{Dir: "x/a.txt"}, {Dir: "x/a.txt"}}, "[a.txt a.txt (2)]"},
		{"labels", []*Answer{{Dir: "r/1", Label: "before"}, {Dir: "r/2", Label: "after", Source: of("", true)}},
			"[before after]"},
		{"revisions", []*Answer{{Dir: "r/1", Source: of("main~1", false)}, {Dir: "r/2", Source: of("", false)},
			{Dir: "r/3", Source: of("", true)}}, "[main~1 commit 1be2ab7 commit 1be2ab7+modified]"},
		{"the work tree", []*Answer{{Dir: "r/1", Source: of(".", true)}}, "[commit 1be2ab7+modified]"},
		{"no repository", []*Answer{{Dir: "r/1", Source: &plan.Source{Modified: true}}}, "[1]"},
		{"one revision twice", []*Answer{{Dir: "r/1", Source: of("", false), Created: at},
			{Dir: "r/2", Source: of("", false), Created: at.Add(24 * time.Hour)}},
			"[commit 1be2ab7 of 2026-11-20 09:30 commit 1be2ab7 of 2026-11-21 09:30]"},
		{"one revision twice at once", []*Answer{{Dir: "r/1", Source: of("", false), Created: at},
			{Dir: "r/2", Source: of("", false), Created: at}}, "[commit 1be2ab7 in 1 commit 1be2ab7 in 2]"},
		{"one label", []*Answer{{Dir: "r/1", Label: "nightly", Source: of("v1", false)},
			{Dir: "r/2", Label: "nightly", Source: of("v2", false)}}, "[nightly at v1 nightly at v2]"},
		{"three, of which two are the same", []*Answer{{Dir: "r/1", Label: "x"}, {Dir: "r/2", Label: "x"},
			{Dir: "r/3", Label: "y"}}, "[x in 1 x in 2 y]"},
	} {
		if got := fmt.Sprint(Labels(tt.answers)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
