package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/plan"
	"memcost/internal/toolchain"
	"memcost/study"
)

// stackStudy is the study whose programs memcost stack knows by name.
const stackStudy = "stackgrowth"

var programsDir = path.Join(stackStudy, "programs")

func studyPrograms() []string {
	entries, err := fs.ReadDir(study.FS, programsDir)
	if err != nil {
		return nil // the tests read them: they are part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// stackJob is one invocation of memcost stack.
type stackJob struct {
	*session
	f        *stackFlags
	own      []string // arguments of the programs
	programs []string // the study's
	patterns []string // the user's packages, or files
	runs     []*stackRun
}

// choose tells the study's programs from the user's packages.
func (j *stackJob) choose(args []string) error {
	j.question = &plan.Question{}
	known := studyPrograms()
	for _, arg := range args {
		switch {
		case arg == stackStudy:
			j.programs = append(j.programs, known...)
		case slices.Contains(known, arg):
			j.programs = append(j.programs, arg)
		case strings.Contains(arg, "@") && !filepath.IsAbs(arg) && !strings.HasPrefix(arg, "."):
			pkg, version, _ := strings.Cut(arg, "@")
			return usage(fmt.Sprintf("have your module require it: go get %s; then: memcost stack %s", arg, pkg), "%s: a package is named without a version (@%s)", pkg, version)
		case strings.ContainsAny(arg, `./\`) || j.f.bench != "" || j.f.tests != "": // a word alone is of the standard library
			j.patterns = append(j.patterns, arg)
		default:
			hint := fmt.Sprintf("a folder here is ./%s, tests of the standard library need -b or --run; the study's programs are %s, and %s is all", arg, strings.Join(known, ", "), stackStudy)
			if near := catalog.Nearest(arg, append(known, stackStudy)); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return usage(hint, "unknown program %q", arg)
		}
	}
	if len(j.programs) > 0 && (j.f.bench != "" || j.f.tests != "") {
		return usage("name a package with tests", "-b and --run: %s has no tests", j.programs[0])
	}
	j.programs = compact(j.programs)
	return nil
}

// build builds everything with every toolchain. A toolchain that cannot be had,
// or does not build it, is left out if there are others.
func (j *stackJob) build(ctx context.Context) error {
	versions, err := j.versions(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, v := range versions {
		j.progress.step(j.app.fit("finding Go " + v))
		tc, err := j.finder.Find(ctx, v)
		if err == nil && !seen[tc.Version] {
			seen[tc.Version] = true
			err = j.buildWith(ctx, tc)
		}
		if err == nil {
			continue
		}
		if len(versions) == 1 || ctx.Err() != nil {
			return err
		}
		j.leftOut("Go %s: %v", v, err)
	}
	switch {
	case len(j.runs) == 0:
		return fmt.Errorf("nothing could be built with any of the Go versions %s", j.f.goVersions)
	case j.f.stdin == "-" && len(j.runs) > 1:
		return usage("name one program, or a file that each can read", "--stdin -: there are %d programs to read it", len(j.runs))
	}
	return nil
}

func (j *stackJob) buildWith(ctx context.Context, tc toolchain.Toolchain) error {
	spec := toolchain.StackLogBuild{Toolchain: tc, Flags: j.f.buildFlags, Record: j.f.record(), Tests: j.f.bench != "" || j.f.tests != ""}
	var all []*stackRun
	if len(j.programs) > 0 {
		dir, err := toolchain.PrepareStudies(study.FS, filepath.Join(j.builder.CacheDir, "studies"), tc)
		if err != nil {
			return err
		}
		of := spec
		of.Dir, of.Env = dir, []string{"GOWORK=off", "GO111MODULE=on"}
		for _, name := range j.programs {
			of.Packages = append(of.Packages, "./"+path.Join(programsDir, name))
		}
		if all, err = j.builds(ctx, of, all); err != nil {
			return err
		}
	}
	if len(j.patterns) > 0 {
		var err error
		spec.Dir, spec.Packages = ".", j.patterns
		if all, err = j.builds(ctx, spec, all); err != nil {
			return err
		}
	}
	j.runs = append(j.runs, all...)
	return nil
}

func (j *stackJob) builds(ctx context.Context, spec toolchain.StackLogBuild, all []*stackRun) ([]*stackRun, error) {
	built, err := j.builder.BuildStackLog(ctx, spec)
	if err != nil {
		return nil, err
	}
	for _, w := range built.Warnings {
		j.progress.note("warning: " + w)
	}
	for _, p := range built.Programs {
		all = append(all, &stackRun{name: stackName(p), program: p, toolchain: spec.Toolchain.Version})
	}
	return all, nil
}

// stackName is what the user called it, as near as can be told.
func stackName(p toolchain.LoggedProgram) string {
	if name, ok := strings.CutPrefix(p.ImportPath, "memcost/study/"+programsDir+"/"); ok {
		return name
	}
	if p.ImportPath == "command-line-arguments" {
		return filepath.Base(p.Path)
	}
	return p.ImportPath
}
