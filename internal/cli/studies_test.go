package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/base/hint"
	"memcost/internal/report/result"
)

func TestChooseStudies(t *testing.T) {
	answers := []*result.Answer{{Studies: []result.Study{{Name: "stackheap"}, {Name: "example.com/m/codec"},
		{Name: "example.com/m/old/codec"}, {Name: "example.com/m/new"}}}, {Studies: []result.Study{{Name: "arena"}}}}
	for name, want := range map[string]string{"stackheap": "stackheap", "example.com/m/codec": "example.com/m/codec",
		"new": "example.com/m/new", "./new": "example.com/m/new", "old/codec": "example.com/m/old/codec",
		"arena": "arena"} {
		got, err := chooseStudies(answers, []string{"r"}, []string{name})
		if err != nil || len(got) != 1 || len(got[0].Studies) != 1 || got[0].Studies[0].Name != want {
			t.Errorf("%s: %v %v, want %s", name, got, err, want)
		}
	}
	if len(answers[0].Studies) != 4 {
		t.Error("the answers were changed")
	}
	for name, want := range map[string]string{"codec": `"codec" means 2 packages`,
		"stakheap": "did you mean stackheap?",
		"newt":     "did you mean new?", "nothing-like-it": "it has: stackheap, example.com/m/codec"} {
		_, err := chooseStudies(answers, []string{"r"}, []string{name})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		text, hints := hint.Split(err)
		if !strings.Contains(text+"\n"+strings.Join(hints, "\n"), want) {
			t.Errorf("%s: %s %q, want %q", name, text, hints, want)
		}
	}
}

// A folder that only has the name of a study is no run; one that does not exist is a study.
func TestRunsAndStudies(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"stackheap", "some", "arena"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join("arena", "run.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	runs, names := runsAndStudies([]string{"missing", "some", "-", "stackheap", "arena", "escape"})
	if !slices.Equal(runs, []string{"missing", "some", "-", "arena"}) || !slices.Equal(names, []string{"stackheap",
		"escape"}) {
		t.Errorf("runs %q, studies %q", runs, names)
	}
}
