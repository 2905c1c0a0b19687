package language

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
)

// one parses a study of these directives.
func one(t *testing.T, directives ...string) (*Study, error) {
	t.Helper()
	var ds []Directive
	for i, text := range directives {
		ds = append(ds, newDirective(text, "", Pos{"x.cpp", i + 1}))
	}
	return Parse("x", ds, nil)
}

func TestVary(t *testing.T) {
	s, err := one(t, "vary setting=default:", "vary allocator=jemalloc setting=trim0: LD_PRELOAD=libjemalloc.so.2 "+
		"-mM_TRIM_THRESHOLD=0 -L # apt-get install libjemalloc2",
		"sample 20ms", "build GOEXPERIMENT=arenas CGO_ENABLED=0", "command memcost x")
	if err != nil {
		t.Fatal(err)
	}
	want := Variant{Keys: "allocator=jemalloc/setting=trim0", Env: []string{"LD_PRELOAD=libjemalloc.so.2"},
		Args: []string{"-mM_TRIM_THRESHOLD=0", "-L"},
		Hint: "apt-get install libjemalloc2"}
	got := s.Variants[1]
	if len(s.Variants) != 2 || s.Variants[0].Keys != "setting=default" || got.Keys != want.Keys ||
		!slices.Equal(got.Env, want.Env) || !slices.Equal(got.Args, want.Args) || got.Hint != want.Hint {
		t.Errorf("%+v", s.Variants)
	}
	if s.Sample != 20*time.Millisecond || !slices.Equal(s.Build, []string{"GOEXPERIMENT=arenas", "CGO_ENABLED=0"}) ||
		s.Command != "memcost x" {
		t.Errorf("%+v", s)
	}
	for text, want := range map[string]string{
		"vary setting=a":       `":" is missing`,
		"vary : X=1":           "the keys are missing",
		"vary setting: -L":     "is not KEY=VALUE",
		"vary a=b/c: -L":       "is not KEY=VALUE",
		"sample soon":          "is not a time",
		"sample 2h":            "is not a time",
		"build":                "the settings are missing",
		"build -tags=x":        "is not NAME=VALUE",
		"command":              "the command is missing",
		"explain form:escapes": `"in FUNC" is missing`,
		"explain ( in f":       "selector",
		"explain * in f,":      "a function's name is missing",
	} {
		if _, err := one(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := one(t, "vary a=b:", "vary a=b: -L"); err == nil ||
		!strings.Contains(err.Error(), "stands already at x.cpp:1") {
		t.Errorf("twice: %v", err)
	}
}

func TestExplain(t *testing.T) {
	s, err := one(t, "explain form:escapes in {cause}Escapes, helper", "explain .name:Plain in plainLoop")
	if err != nil {
		t.Fatal(err)
	}
	functions := func(name string) []string {
		var out []string
		for _, e := range s.Explains {
			out = append(out, e.Functions(&benchfmt.Result{Name: benchfmt.Name(name)})...)
		}
		return out
	}
	for name, want := range map[string][]string{
		"Cause/cause=map-value/form=escapes-2": {"mapValueEscapes", "helper"},
		"Cause/cause=boxing/form=escapes":      {"boxingEscapes", "helper"},
		"Cause/cause=boxing/form=fixed":        nil,
		"Plain-8":                              {"plainLoop"},
	} {
		if got := functions(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
