package stacks

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"memcost/internal/gotool/toolchain"
	"memcost/study"
)

// Build builds everything with every toolchain. A toolchain that cannot be had, or
// does not build it, is left out if there are others.
func (r *Recorder) Build(ctx context.Context) ([]*Run, error) {
	var runs []*Run
	seen := map[string]bool{}
	for _, v := range r.Versions {
		report(r.Step, "finding Go "+v)
		tc, err := r.Finder.Find(ctx, v)
		if err == nil && !seen[tc.Version] {
			seen[tc.Version] = true
			var more []*Run
			more, err = r.buildWith(ctx, tc)
			runs = append(runs, more...)
		}
		if err == nil {
			continue
		}
		if len(r.Versions) == 1 || ctx.Err() != nil {
			return nil, err
		}
		report(r.LeftOut, fmt.Sprintf("Go %s: %v", v, err))
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("nothing could be built with any of the Go versions %s", strings.Join(r.Versions, ","))
	}
	return runs, nil
}

func (r *Recorder) buildWith(ctx context.Context, tc toolchain.Toolchain) ([]*Run, error) {
	spec := toolchain.StackLogBuild{Toolchain: tc, Flags: r.BuildFlags, Record: r.Recording, Tests: r.tests()}
	var all []*Run
	if len(r.Programs) > 0 {
		dir, err := toolchain.PrepareStudies(study.FS, filepath.Join(r.Builder.CacheDir, "studies"), tc)
		if err != nil {
			return nil, err
		}
		of := spec
		of.Dir, of.Env = dir, []string{"GOWORK=off", "GO111MODULE=on"}
		for _, name := range r.Programs {
			of.Packages = append(of.Packages, "./"+path.Join(programsDir, name))
		}
		if all, err = r.builds(ctx, of, all); err != nil {
			return nil, err
		}
	}
	if len(r.Packages) > 0 {
		var err error
		spec.Dir, spec.Packages = ".", r.Packages
		if all, err = r.builds(ctx, spec, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (r *Recorder) builds(ctx context.Context, spec toolchain.StackLogBuild, all []*Run) ([]*Run, error) {
	built, err := r.Builder.BuildStackLog(ctx, spec)
	if err != nil {
		return nil, err
	}
	for _, w := range built.Warnings {
		report(r.Note, "warning: "+w)
	}
	for _, p := range built.Programs {
		all = append(all, &Run{Name: nameOf(p), Program: p, Toolchain: spec.Toolchain.Version})
	}
	return all, nil
}
