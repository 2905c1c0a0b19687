package session

import (
	"context"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
)

// Links are made while it is measured, and Ctrl-C may come then.
func TestInterruptedLink(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tools := &Tools{Builder: &toolchain.Builder{Runner: &proc.Runner{}, CacheDir: t.TempDir()}}
	b := newBuilds(&record{Tools: tools, Question: &plan.Question{}})
	b.Question.Plan.Cases, b.Question.Plan.Studies = []plan.Case{{}}, []plan.Study{{}}
	b.Question.Builds = []plan.Build{{Layouts: []uint64{1}}}
	bin := studyBinary{Binaries: toolchain.Binaries{RandLayout: true}, spec: toolchain.Build{Dir: t.TempDir(), Pkg: "."},
		linked: map[int]string{}}
	b.binaries[sideStudy{0, 0}] = bin
	if _, _, err := b.link(ctx, []plan.Task{{Layout: 1}}); err == nil {
		t.Error("nothing was linked, and it is no error")
	}
	if path, known := bin.linked[1]; known {
		t.Errorf("linked as %q", path)
	}
}

// Sides that differ by what their processes are given alone have the same links; those that are built otherwise have others.
func TestSidesOfOneBinaryShareLinks(t *testing.T) {
	p := plan.Plan{Options: plan.Options{Seed: 1, FreshLayouts: true}, Studies: []plan.Study{{Name: "p"}}, Sides: []plan.Side{
		{Name: "a", Toolchain: "go1"}, {Name: "env", Toolchain: "go1", Env: []string{"GOGC=off"}},
		{Name: "flags", Toolchain: "go1", Flags: []string{"-gcflags=-N"}}, {Name: "other", Toolchain: "go2"},
		{Name: "built", Toolchain: "go1", Env: []string{"GOAMD64=v3"}}, {Name: "again", Toolchain: "go1", Env: []string{"GOAMD64=v3", "A=1"}}}}
	b := newBuilds(&record{Question: &plan.Question{Plan: p}})
	for side, want := range []int{0, 0, 2, 3, 4, 4} {
		if got := b.linkedAs(0, side); got != want {
			t.Errorf("%s has the links of %s, want %s", p.Sides[side].Name, p.Sides[got].Name, p.Sides[want].Name)
		}
	}
	b.sources, b.folders = new(source.Set), []source.Folder{{Dir: "/a"}, {Dir: "/b"}, {}, {}, {}, {}}
	if got := b.linkedAs(0, 1); got != 1 {
		t.Errorf("other files have the links of side %d", got)
	}
}
