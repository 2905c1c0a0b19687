package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/base/hint"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Side{
		"HEAD~1":                    {Revision: "HEAD~1"},
		".":                         {Revision: "."},
		"go1.25.4":                  {Go: "go1.25.4"},
		"go1.25":                    {Go: "go1.25"},
		"GOGC=off":                  {Env: []string{"GOGC=off"}},
		"-gcflags=-l":               {Flags: []string{"-gcflags=-l"}},
		"origin/main":               {Revision: "origin/main"},
		"main@{1.day}":              {Revision: "main@{1.day}"},
		"'-gcflags=-N -l'":          {Flags: []string{"-gcflags=-N -l"}},
		`-ldflags="-s -w" GODEBUG=`: {Flags: []string{"-ldflags=-s -w"}, Env: []string{"GODEBUG="}},
		"v1.2 go1.26.8  GOGC=50 GOMEMLIMIT=1GiB -pgo=off": {Revision: "v1.2", Go: "go1.26.8",
			Env: []string{"GOGC=50", "GOMEMLIMIT=1GiB"}, Flags: []string{"-pgo=off"}},
	} {
		got, err := Parse(text)
		if err != nil || got.Revision != want.Revision || got.Go != want.Go || !slices.Equal(got.Flags, want.Flags) ||
			!slices.Equal(got.Env, want.Env) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "is empty",
		"HEAD main":          "two revisions",
		"go1.25.4 go1.26":    "two toolchains",
		"-race":              "times taken with it mean nothing",
		"-covermode=atomic":  "times taken with it mean nothing",
		"-gcflag=-l":         "did you mean -gcflags?",
		"-gcflags":           "write it as one word",
		"-size=100":          "behind --",
		"GOMAXPROCS=1":       "use --cpu 1,2",
		"GOFLAGS=-race":      "name the flags themselves",
		"GOTOOLCHAIN=go1.25": "name the toolchain itself",
		"M_TOP_PAD=0":        "the C library's malloc",
		"HEAD ./codec":       "./codec is a package",
		"HEAD 'x":            "is not closed",
	} {
		_, err := Parse(text)
		if err == nil || !hint.IsUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, which does not say %q", text, err, want)
		}
	}
}

func TestArguments(t *testing.T) {
	isStudy := func(name string) bool { return name == "stackheap" }
	for _, tt := range []struct{ args, sides, packages string }{
		{"HEAD~1 .", "HEAD~1|work tree", ""},
		{". HEAD~1", "work tree|HEAD~1", ""},
		{"HEAD~1", "HEAD~1|work tree", ""},
		{"go1.25.4", "go1.25.4|work tree", ""},
		{"GOGC=off", "work tree|GOGC=off", ""},
		{"HEAD~1 ./codec", "HEAD~1|work tree", "./codec"},
		{"GOGC=off ./...", "work tree|GOGC=off", "./..."},
		{"main . ./codec", "main|work tree", "./codec"},
		{"main v1.2 v1.3 .", "main|v1.2|v1.3", "."},
		{"main v1.2 example.com/m/codec", "main|v1.2", "example.com/m/codec"},
		{"main origin/main", "main|origin/main", ""},
		{"go1.25.4 go1.26.8 stackheap", "go1.25.4|go1.26.8", "stackheap"},
		{"go1.25.4 stackheap", "go1.25.4|work tree", "stackheap"},
		{". .", "work tree|work tree (2)", ""},
		{"60954cd8a4b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5 .", "60954cd|work tree", ""},
		{"HEAD HEAD HEAD", "HEAD|HEAD (2)|HEAD (3)", ""},
	} {
		sides, packages, err := Arguments(strings.Fields(tt.args), isStudy)
		if got := strings.Join(Names(sides), "|"); err != nil || got != tt.sides ||
			strings.Join(packages, " ") != tt.packages {
			t.Errorf("%s: %s and %q, %v; want %s and %s", tt.args, got, packages, err, tt.sides, tt.packages)
		}
	}
	for args, want := range map[string]string{
		"": "nothing to compare", ".": "name another", "./codec HEAD": "name the sides first",
	} {
		if _, _, err := Arguments(strings.Fields(args), isStudy); err == nil || !hint.IsUsage(err) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, which does not say %q", args, err, want)
		}
	}
}

func TestShield(t *testing.T) {
	got := Shield([]string{"compare", "HEAD", "-gcflags=-N -l", "-b", "X", "--tags=x", "-pgo", "-gcflag=-l", "-nx",
		"--", "-pgo=x"})
	want := []string{"compare", "HEAD", " -gcflags=-N -l", "-b", "X", "--tags=x", " -pgo", " -gcflag=-l", "-nx",
		"--", "-pgo=x"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAbsolute(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cpu.pprof")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Absolute(dir, []string{"-pgo=cpu.pprof", "-pgo=off", "-gcflags=-l"})
	if err != nil || !slices.Equal(got, []string{"-pgo=" + file, "-pgo=off", "-gcflags=-l"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Absolute(dir, []string{"-pgo=none.pprof"}); err == nil ||
		!strings.Contains(err.Error(), "none.pprof") {
		t.Errorf("a profile that is not there: %v", err)
	}
}

// A value that Go's runtime does not read would measure something else than it says.
func TestCheckValue(t *testing.T) {
	for _, good := range []string{"GOGC=off", "GOGC=200", "GOGC=-1", "GOGC=", "GOMEMLIMIT=512MiB", "GOMEMLIMIT=1000", "GOMEMLIMIT=off",
		"GODEBUG=gctrace=1", "GODEBUG=gctrace=1,madvdontneed=0", "MINE=banana"} {
		if err := CheckValue(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"GOGC=banana", "GOGC=100%", "GOGC=1.5", "GOMEMLIMIT=512MB", "GOMEMLIMIT=-1", "GODEBUG=gctrace",
		"GODEBUG=gctrace=1,"} {
		if err := CheckValue(bad); !hint.IsUsage(err) {
			t.Errorf("%s: %v", bad, err)
		}
		if _, err := Parse(bad); !hint.IsUsage(err) {
			t.Errorf("the side %s: %v", bad, err)
		}
		if err := CheckVary(bad); !hint.IsUsage(err) {
			t.Errorf("--vary %s: %v", bad, err)
		}
	}
}
