package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/proc"
	"memcost/internal/result"
)

// checkKinds reports flags that mean nothing to the suites that were chosen.
func (s *session) checkKinds(changed func(string) bool) error {
	if s.flags.only != "" && !s.hasGoogle() {
		return usage("memcost run malloc --only published", "--only is for the study malloc")
	}
	if s.hasGo() {
		return nil
	}
	for _, flag := range []string{"go", "cpu", "layouts"} {
		if changed(flag) {
			return usage("settings of your own: --vary M_TOP_PAD=0, --vary LD_PRELOAD=libjemalloc.so.2, --vary -L", "--%s means nothing to %s, which is a study in C++", flag, s.question.Plan.Suites[0].Name)
		}
	}
	return nil
}

// varyGoogle puts the settings of --vary beside the default one, in place of the
// study's own: a run of C++ studies alone has no other arms.
func (s *session) varyGoogle() error {
	if len(s.flags.vary) == 0 || s.hasGo() {
		return nil
	}
	for i := range s.question.Plan.Suites {
		x := &s.question.Plan.Suites[i]
		x.Variants = slices.DeleteFunc(x.Variants, func(v catalog.Variant) bool { return v.Keys != defaultVariant })
		for _, text := range s.flags.vary {
			v, err := ownVariant(text)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(x.Variants, func(o catalog.Variant) bool { return o.Keys == v.Keys }) {
				return usage("name each setting once", "--vary %s: there is %s already", text, v.Keys)
			}
			x.Variants = append(x.Variants, v)
		}
		x.Directives, x.Show = catalog.WithVariants(x.Directives, x.Show, x.Variants)
	}
	return nil
}

const defaultVariant = "allocator=glibc/setting=default"

// ownVariant is the setting of a --vary, of one word or several: mallopt parameters
// (M_TRIM_THRESHOLD=0 or several, with commas), an option of the program (-L), or a
// variable of the environment, of which LD_PRELOAD names the allocator.
func ownVariant(text string) (catalog.Variant, error) {
	v := catalog.Variant{}
	allocator, setting := "glibc", []string{}
	for word := range strings.FieldsSeq(text) {
		name, value, given := strings.Cut(word, "=")
		switch {
		case word == "-L" || strings.HasPrefix(word, "-mM_") || name == "--thp":
			v.Args = append(v.Args, word)
		case strings.HasPrefix(word, "M_"):
			v.Args = append(v.Args, "-m"+word)
		case name == "LD_PRELOAD":
			path, found := findLibrary(value, libraryDirs)
			if _, err := os.Stat(path); !found || err != nil {
				return v, usage("name a file, or install the library", "--vary %s: there is no %s here", text, value)
			}
			allocator, _, _ = strings.Cut(filepath.Base(value), ".so")
			v.Env = append(v.Env, "LD_PRELOAD="+path)
			continue
		case given && ownVariable(name):
			v.Env = append(v.Env, word)
		default:
			hint := "a setting of malloc is M_TOP_PAD=0, LD_PRELOAD=FILE, GLIBC_TUNABLES=…, -L, --thp=never, or several of them with spaces between"
			if near := catalog.Nearest(name, []string{"GLIBC_TUNABLES", "LD_PRELOAD", "-L", "--thp"}); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return v, usage(hint, "--vary %s: %s is no setting of malloc", text, word)
		}
		setting = append(setting, word)
	}
	v.Keys = "allocator=" + result.FileName(allocator) + "/setting=" + result.FileName(cmp.Or(strings.Join(setting, "+"), "default"))
	return v, nil
}

// ownVariable reports whether an allocator may read a variable: glibc's are
// GLIBC_TUNABLES and MALLOC_…, those of the others end or begin with their names.
func ownVariable(name string) bool {
	for _, prefix := range []string{"MALLOC_", "MIMALLOC_", "TCMALLOC_", "TBB_", "SCUDO_", "JE_MALLOC_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "GLIBC_TUNABLES"
}

// ownVariants are the settings of --vary, beside the default one, for a mode whose
// suite is of records: what the study says of its own settings is said of these. A
// run folder keeps them.
func (s *session) ownVariants(ctx context.Context, program string) ([]catalog.Variant, error) {
	x := &s.question.Plan.Suites[0]
	if len(s.flags.vary) == 0 {
		return x.Variants, nil
	}
	x.Variants = []catalog.Variant{{Keys: defaultVariant}}
	for _, text := range s.flags.vary {
		v, err := ownVariant(text)
		if err == nil {
			err = s.checkVariant(ctx, program, v)
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(x.Variants, func(o catalog.Variant) bool { return o.Keys == v.Keys }) {
			return nil, usage("name each setting once", "--vary %s: there is %s already", text, v.Keys)
		}
		x.Variants = append(x.Variants, v)
	}
	x.Directives, x.Show = catalog.WithVariants(x.Directives, x.Show, x.Variants)
	return x.Variants, nil
}

// checkOwnVariants reports settings that the program itself does not know, in its words.
func (s *session) checkOwnVariants(ctx context.Context) error {
	if len(s.flags.vary) == 0 || s.hasGo() || s.flags.resume != "" {
		return nil
	}
	for i, x := range s.question.Plan.Suites {
		for _, v := range x.Variants {
			if err := s.checkVariant(ctx, s.binaries[[2]int{x.Arms[0], i}].Paths[0], v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) checkVariant(ctx context.Context, program string, v catalog.Variant) error {
	res, err := s.runner.Run(ctx, proc.Cmd{Path: program, Args: append(slices.Clone(v.Args), "--benchmark_list_tests=true"), Env: append(slices.Clone(s.env), v.Env...), Timeout: s.flags.timeout})
	if err != nil || res.ExitCode == 0 {
		return err
	}
	says, hint, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\nhint: ")
	return usage(hint, "--vary: %s: %s", v.Keys, says)
}
