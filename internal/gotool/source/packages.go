package source

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
)

// Key tells the arms of a comparison apart that may have other packages and benchmarks: by
// their files, toolchain and build flags.
func Key(a plan.Arm, f Folder) string { return fmt.Sprintf("%q %q %q", f.Dir, a.Toolchain, a.Flags) }

// Packages looks up the packages with benchmarks that each arm has, by their import paths, and
// returns those of all arms together, too. broken is told of packages that do not load.
func Packages(ctx context.Context, b *toolchain.Builder, arms []plan.Arm, folders []Folder, tcs []toolchain.Toolchain,
	patterns []string, broken func(string, ...any)) (byArm []map[string]toolchain.Package, all []toolchain.Package,
	err error) {
	known := map[string]map[string]toolchain.Package{}
	var unloaded error
	for i, a := range arms {
		key := Key(a, folders[i])
		if known[key] == nil {
			pkgs, err := packagesOf(ctx, b, tcs[i], a, folders[i], patterns)
			if err != nil {
				return nil, nil, &Error{Name: a.Name, Err: err}
			}
			known[key] = map[string]toolchain.Package{}
			for _, p := range pkgs {
				if p.Broken != "" {
					broken("%s on %s: %s", p.ImportPath, a.Name, p.Broken)
					unloaded = &Error{Name: a.Name, Err: hint.New("the packages must load on both sides", "%s: %s",
						p.ImportPath, p.Broken)}
					continue
				}
				known[key][p.ImportPath] = p
				if !slices.ContainsFunc(all, func(o toolchain.Package) bool { return o.ImportPath == p.ImportPath }) {
					all = append(all, p)
				}
			}
		}
		byArm = append(byArm, known[key])
	}
	if len(all) == 0 {
		return nil, nil, unloaded
	}
	return byArm, all, nil
}

// packagesOf lists the packages with benchmarks of one arm, and those that do not load.
func packagesOf(ctx context.Context, b *toolchain.Builder, tc toolchain.Toolchain, a plan.Arm, f Folder,
	patterns []string) ([]toolchain.Package, error) {
	if _, err := os.Stat(f.Dir); err != nil {
		return nil, nil // the commit does not have the folder
	}
	l := toolchain.Listing{Dir: f.Dir, Flags: ListFlags(a.Flags), Env: f.Env}
	for _, p := range patterns {
		l.Patterns = append(l.Patterns, f.Pattern(p))
	}
	pkgs, _, err := b.List(ctx, tc, l)
	return slices.DeleteFunc(pkgs, func(p toolchain.Package) bool {
		_, err := os.Stat(p.Dir)
		return !p.HasBenchmarks && (p.Broken == "" || p.Dir == "" || err != nil) // it is not there
	}), err
}

// ListFlags returns those of the build flags that say which files belong to a package.
func ListFlags(flags []string) []string {
	var out []string
	for _, f := range flags {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if slices.Contains([]string{"tags", "mod", "modfile", "overlay"}, name) {
			out = append(out, f)
		}
	}
	return out
}
