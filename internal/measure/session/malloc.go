package session

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
	"memcost/study"
)

// buildMalloc builds the program of the study malloc, with the compiler that the run was
// started with.
func (r *record) buildMalloc(ctx context.Context) (program string, st *language.Study, err error) {
	st, err = Study("malloc")
	if err != nil {
		return "", nil, err
	}
	tc, err := r.Builder.Compiler(ctx)
	if err != nil {
		return "", nil, err
	}
	if arms := r.Question.Plan.Arms; len(arms) == 0 {
		r.Question.Plan.Arms = []plan.Arm{{Name: tc.Version, Toolchain: tc.Version}}
	} else if arms[0].Toolchain != tc.Version {
		return "", nil, hint.With("begin a run of its own",
			fmt.Errorf("the C++ compiler is %s now, and it was begun with %s", tc.Version, arms[0].Toolchain))
	}
	source, err := fs.Sub(study.FS, st.Name)
	if err != nil {
		return "", nil, err
	}
	r.Log.Step("building malloc_bench with " + tc.Version)
	bin, err := r.Builder.BuildCMake(ctx, source, st.Name+"_bench", tc)
	if err != nil {
		return "", nil, err
	}
	return bin.Paths[0], st, nil
}

// namedVariants returns the variants that a regular expression names, by their keys.
func namedVariants(all []language.Variant, pattern string) ([]language.Variant, error) {
	only, err := regexp.Compile(pattern)
	if err != nil {
		return nil, hint.Usage("https://pkg.go.dev/regexp/syntax", "--bench: %w", err)
	}
	var names []string
	out := slices.DeleteFunc(slices.Clone(all), func(v language.Variant) bool {
		names = append(names, v.Keys)
		return !only.MatchString(v.Keys)
	})
	if len(out) == 0 {
		return nil, hint.Usage("the settings are: "+strings.Join(names, ", "), "--bench %q matches no setting", pattern)
	}
	return out, nil
}
