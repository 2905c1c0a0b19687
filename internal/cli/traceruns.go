package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/toolchain"
)

// traceTests runs the tests of one package with -test.trace.
func (s *session) traceTests(ctx context.Context, f *traceFlags, pattern, file string) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	s.question = &plan.Question{Dir: dir, Packages: []string{pattern}}
	pkgs, err := s.listPackages(ctx)
	switch {
	case err != nil:
		return err
	case len(pkgs) != 1:
		return usage("a trace is of one process: name one package", "%s names %d packages", pattern, len(pkgs))
	}
	versions, err := s.versions(ctx)
	if err != nil {
		return err
	}
	if len(versions) != 1 {
		return usage("name one version", "--go %s: a trace is of one Go version", f.goVersions)
	}
	tc, err := s.finder.Find(ctx, strings.TrimPrefix(versions[0], "go"))
	if err != nil {
		return err
	}
	bin, err := s.builder.Build(ctx, toolchain.Build{Toolchain: tc, Dir: pkgs[0].Dir, Pkg: pkgs[0].ImportPath})
	if err != nil {
		return err
	}
	run, bench := f.tests, f.bench
	if run == "" {
		run = "^$"
	}
	args := []string{"-test.run=" + run, "-test.trace=" + file, "-test.timeout=0"}
	if bench != "" {
		args = append(args, "-test.bench="+bench, "-test.benchtime="+f.benchtime)
	}
	s.progress.step("running " + pkgs[0].ImportPath + " with " + tc.Version)
	res, err := s.runner.Run(ctx, proc.Cmd{Path: bin.Paths[0], Args: args, Dir: pkgs[0].Dir, Env: s.env, Timeout: f.timeout})
	if err != nil {
		return err
	}
	if err := res.Err("tracing " + pkgs[0].ImportPath); err != nil {
		return err
	}
	if bench != "" && !strings.Contains(string(res.Stdout), "Benchmark") {
		return usage("go test -list '^Benchmark' lists them", "-bench %q: no benchmark of %s matches", bench, pkgs[0].ImportPath)
	}
	s.progress.note(strings.TrimSpace(string(res.Stdout)))
	return nil
}
