package session

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/malloc/allocator"
	"memcost/internal/malloc/settings"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
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
	if sides := r.Question.Plan.Sides; len(sides) == 0 {
		r.Question.Plan.Sides = []plan.Side{{Name: tc.Version, Toolchain: tc.Version}}
	} else if sides[0].Toolchain != tc.Version {
		return "", nil, hint.With("begin a run of its own",
			fmt.Errorf("the C++ compiler is %s now, and it was begun with %s", tc.Version, sides[0].Toolchain))
	}
	r.Log.Step("building malloc_bench with " + tc.Version)
	bin, err := r.buildCPP(ctx, st.Name, st.Name, tc)
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

// trier returns what settings are tried with.
func (r *record) trier(program string) *settings.Trier {
	return &settings.Trier{Builder: r.Builder, Program: program, Env: r.Env, Timeout: r.Question.Plan.Options.Timeout}
}

// variantsHere returns those of a study's variants that this machine can run: libraries
// to preload are looked up, and a variant without its library is left out. With
// published, only published variants are returned.
func (r *record) variantsHere(st *language.Study, published bool) []language.Variant {
	var out []language.Variant
	for _, v := range st.Variants {
		if published && !slices.Contains(st.Published, v.Keys) {
			continue
		}
		missing := ""
		v.Env = slices.Clone(v.Env)
		for i, kv := range v.Env {
			if name, ok := strings.CutPrefix(kv, "LD_PRELOAD="); ok {
				path, found := allocator.Library(name)
				if !found {
					missing = name
				}
				v.Env[i] = "LD_PRELOAD=" + path
			}
		}
		if missing != "" {
			r.leftOut("%s with %s: there is no %s here (%s)", st.Name, v.Keys, missing, v.Hint)
			continue
		}
		out = append(out, v)
	}
	return out
}
