package cli

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/plan"
	"memcost/internal/store"
	"memcost/study"
)

// A mode is what memcost run malloc does instead of sampling: --cliffs, --latency. It
// runs the study's program in another way, and keeps records in a run folder.
type mode struct {
	flag    string   // cliffs
	command string   // run malloc --cliffs: stands in the run folder as what made it
	may     []string // further flags that mean something beside it
	again   []string // of these and those of a mode, the ones that may change by --resume
}

// modeFlags mean something beside every mode; resumedFlags when it goes on as well.
var (
	resumedFlags = []string{"verbose", "json", "long", "gate", "open", "resume"}
	modeFlags    = append([]string{"bench", "results", "dry-run"}, resumedFlags...)
)

// check reports flags and arguments that have no meaning beside a mode.
func (m mode) check(f *runFlags, args []string, changed func(string) bool) error {
	resumed := changed("resume")
	if resumed && f.resume == "" {
		return usage("for example --resume results/20261121-101530-myhost", "--resume names no run folder")
	}
	if !slices.Equal(args, []string{"malloc"}) && !(resumed && len(args) == 0) {
		return usage("memcost "+m.command, "--%s is for the study malloc alone, and takes no %q", m.flag, args)
	}
	may := slices.Concat(modeFlags, m.may, []string{m.flag})
	if resumed {
		may = slices.Concat(resumedFlags, m.again, []string{m.flag})
	}
	for _, flag := range []string{"go", "vary", "bench", "cpu", "quick", "full", "seed", "rounds", "precision", "budget", "sample", "timeout", "alpha", "layouts", "shard",
		"only", "results", "dry-run", "no-guards", "cliffs", "latency", "rt"} {
		switch {
		case !changed(flag) || slices.Contains(may, flag):
		case resumed:
			return usage("begin a run of its own", "--%s cannot be changed by --resume: it goes on as it began", flag)
		default:
			return usage("settings are chosen by -b: memcost "+m.command+" -b setting=default", "--%s has no meaning beside --%s", flag, m.flag)
		}
	}
	return nil
}

// reopen opens the run folder that a mode goes on with, and shows it each record.
func (m mode) reopen(s *session, each func(*benchfmt.Result)) error {
	dir, q := s.flags.resume, &plan.Question{}
	if err := store.ReadQuestion(dir, q); err != nil {
		return err
	}
	switch err := q.Check(); {
	case err != nil:
		return fmt.Errorf("reading run folder %s: %s: %w", dir, store.QuestionFile, err)
	case q.Recorded != m.command:
		return withHint("go on with: memcost run --resume "+dir, fmt.Errorf("run folder %s is not one of memcost %s", dir, m.command))
	}
	s.question, s.flags.bench = q, q.Plan.Options.Bench
	q.LeftOut, q.Warnings = nil, nil // those of an earlier part are found again
	var err error
	if s.folder, err = store.Open(dir); err != nil {
		return err
	}
	warnings, err := store.ReadSamples(dir, func(r *benchfmt.Result) error {
		each(r)
		return nil
	})
	for _, w := range slices.Concat(s.folder.Warnings, warnings) {
		s.progress.note("warning: " + w.Error())
	}
	return err
}

// begun is the value of a flag with which a run folder was begun.
func begun(q *plan.Question, flag string) (string, bool) {
	for i, arg := range q.Command {
		if value, ok := strings.CutPrefix(arg, "--"+flag+"="); ok {
			return value, true
		}
		if arg == "--"+flag {
			if i+1 < len(q.Command) && !strings.HasPrefix(q.Command[i+1], "-") {
				return q.Command[i+1], true
			}
			return "", true
		}
	}
	return "", false
}

// chooseVariants are the variants that --bench names, by their keys.
func (s *session) chooseVariants(st *catalog.Study) error {
	only, err := regexp.Compile(s.flags.bench)
	if err != nil {
		return usage("https://pkg.go.dev/regexp/syntax", "--bench: %w", err)
	}
	var names []string
	st.Variants = slices.DeleteFunc(slices.Clone(st.Variants), func(v catalog.Variant) bool {
		names = append(names, v.Keys)
		return !only.MatchString(v.Keys)
	})
	if len(st.Variants) == 0 {
		return usage("the settings are: "+strings.Join(names, ", "), "--bench %q matches no setting", s.flags.bench)
	}
	return nil
}

// buildMalloc builds the program of the study malloc, with the compiler that a run
// folder was begun with.
func (s *session) buildMalloc(ctx context.Context) (program string, st *catalog.Study, err error) {
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return "", nil, err
	}
	st = find(studies, "malloc")
	tc, err := s.builder.Compiler(ctx)
	if err != nil {
		return "", nil, err
	}
	if arms := s.question.Plan.Arms; len(arms) == 0 {
		s.question.Plan.Arms = []plan.Arm{{Name: tc.Version, Toolchain: tc.Version}}
	} else if arms[0].Toolchain != tc.Version {
		return "", nil, withHint("begin a run of its own", fmt.Errorf("the C++ compiler is %s now, and it was begun with %s", tc.Version, arms[0].Toolchain))
	}
	source, err := fs.Sub(study.FS, st.Name)
	if err != nil {
		return "", nil, err
	}
	s.progress.step("building malloc_bench with " + tc.Version)
	bin, err := s.builder.BuildCMake(ctx, source, st.Name+"_bench", tc)
	if err != nil {
		return "", nil, err
	}
	return bin.Paths[0], st, nil
}
