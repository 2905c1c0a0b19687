package session

import (
	"context"
	"testing"

	"memcost/internal/base/proc"
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
