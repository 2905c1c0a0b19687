package toolchain

import (
	"context"
	"fmt"
	"go/version"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// module is the path of the toolchain modules. Their versions read
// v0.0.1-go1.25.4.linux-amd64.
const (
	module = "golang.org/toolchain"
	prefix = "v0.0.1-"
)

// Versions are the toolchains that can be had for this system, oldest first:
// those the module proxy lists (it may serve others too), those already
// downloaded, and the local one. Without a network it logs so and leaves out
// the first.
func (f *Finder) Versions(ctx context.Context) ([]string, error) {
	local, err := f.Local(ctx)
	if err != nil {
		return nil, err
	}
	s, err := f.openSource(ctx, local)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.versions(ctx)
}

// source is where toolchains come from: the local go command with the user's
// proxy and module cache.
type source struct {
	*session
	local           Toolchain
	proxy, modCache string
	log             func(string)
}

func (f *Finder) openSource(ctx context.Context, local Toolchain) (*source, error) {
	s, err := openSession(f.Runner, local.GoCmd, f.Env)
	if err != nil {
		return nil, err
	}
	values, err := s.settings(ctx)
	if err != nil {
		s.close()
		return nil, err
	}
	log := f.Log
	if log == nil {
		log = func(string) {}
	}
	return &source{s, local, values["GOPROXY"], values["GOMODCACHE"], log}, nil
}

func (s *source) versions(ctx context.Context) ([]string, error) {
	known := append(s.cachedVersions(), s.local.Version)
	res, err := s.run(ctx, nil, "list", "-m", "-versions", "-retracted", module) // -retracted: no need to ask for each
	if err != nil {
		return nil, fmt.Errorf("listing Go versions: %w", err)
	}
	if failure := res.Err("listing Go versions"); failure != nil {
		s.log(failure.Error() + "\nonly versions already downloaded are known")
	} else {
		known = append(known, parseList(string(res.Stdout), runtime.GOOS, runtime.GOARCH)...)
	}
	Sort(known)
	return slices.Compact(known), nil
}

// parseList reads `go list -m -versions golang.org/toolchain`.
func parseList(text, goos, goarch string) []string {
	var list []string
	for _, word := range strings.Fields(text) {
		v, ok := strings.CutPrefix(word, prefix)
		if !ok {
			continue
		}
		if v, ok = strings.CutSuffix(v, "."+goos+"-"+goarch); ok && version.IsValid(v) {
			list = append(list, v)
		}
	}
	return list
}

// cached is the folder of a toolchain in the module cache.
func (s *source) cached(v string) (string, error) {
	name := module + "@" + prefix + v + "." + runtime.GOOS + "-" + runtime.GOARCH
	return filepath.EvalSymlinks(filepath.Join(s.modCache, filepath.FromSlash(name)))
}

// cachedVersions are the toolchains in the module cache, oldest first.
func (s *source) cachedVersions() []string {
	if s.modCache == "" {
		return nil
	}
	dirs, _ := filepath.Glob(filepath.Join(s.modCache, "golang.org", "toolchain@"+prefix+"go*"))
	var list []string
	for _, dir := range dirs {
		_, v, _ := strings.Cut(filepath.Base(dir), "@")
		list = append(list, parseList(v, runtime.GOOS, runtime.GOARCH)...)
	}
	Sort(list)
	return list
}

// parseVersion reads what a user may call a version. A series ("1.25") has no
// patch level, and stands for all of its releases.
func parseVersion(name string) (v string, series bool, err error) {
	v = "go" + strings.TrimPrefix(name, "go")
	if !version.IsValid(v) || strings.Contains(v, "-") {
		return "", false, fmt.Errorf("finding Go %q: that is not a Go version\nhint: write local, 1.25.4, go1.25.4, or 1.25 for the latest patch of Go 1.25", name)
	}
	// Before 1.21 the first release of a series had no patch level in its name.
	if base, ok := strings.CutSuffix(v, ".0"); ok && version.Lang(v) == base && version.Compare(v, "go1.21") < 0 {
		return base, false, nil
	}
	return v, version.Lang(v) == v, nil
}

// Sort sorts versions, oldest first.
func Sort(versions []string) { slices.SortFunc(versions, version.Compare) }

// LastPatch is the newest version of a series ("go1.25"), a release rather
// than a candidate; "" if there is none.
func LastPatch(versions []string, series string) string {
	last := ""
	for _, v := range versions {
		if version.Lang(v) != series || strings.Contains(v, "-") {
			continue
		}
		if last == "" || isRelease(v) && !isRelease(last) ||
			isRelease(v) == isRelease(last) && version.Compare(v, last) > 0 {
			last = v
		}
	}
	return last
}

// isRelease tells go1.25.4 from go1.25rc1.
func isRelease(v string) bool { return !strings.Contains(v, "rc") && !strings.Contains(v, "beta") }

// nearest are the versions that someone who asked for v may have meant: those
// of its series, else the ones next to it.
func nearest(known []string, v string) string {
	var same []string
	for _, k := range known {
		if version.Lang(k) == version.Lang(v) {
			same = append(same, k)
		}
	}
	if len(same) > 8 { // the last ones say what there is
		same = append([]string{same[0], "…"}, same[len(same)-6:]...)
	}
	if len(same) == 0 {
		i, _ := slices.BinarySearchFunc(known, v, version.Compare)
		same = known[max(0, i-3):min(len(known), i+3)]
	}
	if len(same) == 0 {
		return "not known"
	}
	return strings.Join(same, ", ")
}
