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
	b.Question.Plan.Cases = []plan.Case{{}}
	bin := studyBinary{Binaries: unlinked([]uint64{1}), spec: toolchain.Build{Dir: t.TempDir(), Pkg: "."}}
	b.binaries[sideStudy{0, 0}] = bin
	if err := b.link(ctx, []plan.Task{{}}); err == nil {
		t.Error("nothing was linked, and it is no error")
	}
	if bin.Paths[0] != "" {
		t.Errorf("linked as %q", bin.Paths[0])
	}
}
