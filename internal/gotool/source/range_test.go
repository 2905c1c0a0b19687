package source

import (
	"strings"
	"testing"
)

// A range follows first parents, begins where the branch parted, and says what a merge is.
func TestRange(t *testing.T) {
	r := newRepo(t, t.TempDir())
	commit := func(name string) string {
		r.git("commit", "-q", "--allow-empty", "-m", name+" with a  \"word\"")
		return r.git("rev-parse", "HEAD")
	}
	first := commit("first")
	second := commit("second")
	r.git("checkout", "-q", "-b", "branch")
	commit("on the branch")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge it", "branch")
	merge := r.git("rev-parse", "HEAD")
	last := commit("last")
	for _, tt := range []struct {
		spec string
		want []string // or what the error says
	}{
		{"main~3..main", []string{first, second, merge, last}},
		{"main~1..", []string{merge, last}},
		{"branch..main", []string{second, merge, last}}, // it parted from the line at the second
		{first + ".." + second, []string{first, second}},
		{"main..main", []string{"both are the same commit"}},
		{"main..main~1", []string{"main is not older than main~1"}},
		{"main~1...main", []string{"is no range of commits"}},
		{"..main", []string{"is no range of commits"}},
		{"main", []string{"is no range of commits"}},
		{"nowhere..main", []string{`there is no revision "nowhere"`}},
		{"--all..main", []string{"is no revision"}},
	} {
		steps, err := r.open("").Range(t.Context(), tt.spec)
		if len(tt.want) == 1 {
			if err == nil || !strings.Contains(err.Error(), tt.want[0]) {
				t.Errorf("%s: %v, want %s", tt.spec, err, tt.want[0])
			}
			continue
		}
		var got []string
		for i, s := range steps {
			got = append(got, s.Hash)
			// The first one is where the search begins: nothing is said of it.
			if i > 0 && s.Merge != (s.Hash == merge) || s.Date.IsZero() || s.Subject == "" {
				t.Errorf("%s: %+v", tt.spec, s)
			}
		}
		if err != nil || strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%s: %v, %v; want %v", tt.spec, got, err, tt.want)
		}
	}
}
