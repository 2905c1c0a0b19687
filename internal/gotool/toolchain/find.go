package toolchain

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// Local returns the toolchain of the go command on PATH.
func (f *Finder) Local(ctx context.Context) (Toolchain, error) {
	goCmd, err := proc.LookPath("go", environ(f.Env))
	if errors.Is(err, proc.ErrNotFound) {
		return Toolchain{}, hint.New(
			"install Go 1.21 or newer from https://go.dev/dl and add its bin folder to PATH",
			"finding the local Go toolchain: there is no go command on PATH")
	}
	if err != nil {
		return Toolchain{}, fmt.Errorf("finding the local Go toolchain: %w", err)
	}
	s, err := openSession(f.Runner, goCmd, f.Env)
	if err != nil {
		return Toolchain{}, err
	}
	defer s.close()
	tc, err := s.identify(ctx)
	tc.Local = true
	return tc, err
}

// Find returns the toolchain of a version: "local", "go1.25.4" or "1.25.4"; a series
// ("1.25") selects its latest patch among Versions, and "1.13.0" the release that was
// called go1.13. One that is not installed is downloaded.
func (f *Finder) Find(ctx context.Context, name string) (Toolchain, error) {
	local, err := f.Local(ctx)
	if err != nil || name == "local" {
		return local, err
	}
	source, err := f.openSource(ctx, local)
	if err != nil {
		return Toolchain{}, err
	}
	defer source.close()
	want, err := source.resolve(ctx, name)
	switch {
	case err != nil:
		return Toolchain{}, err
	case want == local.Version:
		return local, nil
	}
	if version.IsValid(local.Version) && version.Compare(local.Version, "go1.21") < 0 {
		return Toolchain{}, hint.New("put Go 1.21 or newer first on PATH (https://go.dev/dl)",
			"finding %s: the local go is %s, which cannot download other toolchains", want, local.Version)
	}
	return source.fetch(ctx, want)
}

// Resolve returns the version that Find would return, and whether it has to be
// downloaded first. It downloads nothing but, for a series, the list of versions.
func (f *Finder) Resolve(ctx context.Context, name string) (version string, missing bool, err error) {
	local, err := f.Local(ctx)
	if err != nil || name == "local" {
		return local.Version, false, err
	}
	source, err := f.openSource(ctx, local)
	if err != nil {
		return "", false, err
	}
	defer source.close()
	want, err := source.resolve(ctx, name)
	if err != nil || want == local.Version {
		return want, false, err
	}
	_, err = source.cached(want)
	return want, err != nil, nil
}

// Versions returns the toolchains available for this system, oldest first: those the
// module proxy lists (it may serve others too), those already downloaded, and the local
// one. Without a network it logs so and leaves out the first.
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

// Toolchain is an installed Go.
type Toolchain struct {
	Version string // as `go version` has it: "go1.25.4"
	GOROOT  string // symbolic links resolved
	GoCmd   string // path of its go command
	Local   bool   // the go on PATH
}

// Finder finds toolchains.
type Finder struct {
	Runner *proc.Runner
	Env    []string     // environment of the user; nil is memcost's own
	Log    func(string) // called with downloads and with substitutes; may be nil
}

// module is the path of the toolchain modules. Their versions read
// v0.0.1-go1.25.4.linux-amd64.
const (
	module = "golang.org/toolchain"
	prefix = "v0.0.1-"
)

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

// parseVersion parses what a user may call a version. A series ("1.25") has no patch
// level, and selects among all of its releases.
func parseVersion(name string) (v string, series bool, err error) {
	v = "go" + strings.TrimPrefix(name, "go")
	if !version.IsValid(v) || strings.Contains(v, "-") {
		return "", false, hint.New(
			"write local, 1.25.4, go1.25.4, or 1.25 for the latest patch of Go 1.25",
			"finding Go %q: that is not a Go version", name)
	}
	// Before 1.21 the first release of a series had no patch level in its name.
	if base, ok := strings.CutSuffix(v, ".0"); ok && version.Lang(v) == base && version.Compare(v, "go1.21") < 0 {
		return base, false, nil
	}
	return v, version.Lang(v) == v, nil
}

// Sort sorts versions, oldest first.
func Sort(versions []string) { slices.SortFunc(versions, version.Compare) }

// LastPatch returns the newest version of a series ("go1.25"), a release rather than a
// candidate; "" if there is none.
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

// isRelease reports whether a version is a release (go1.25.4), not a candidate
// (go1.25rc1).
func isRelease(v string) bool { return !strings.Contains(v, "rc") && !strings.Contains(v, "beta") }

// nearest returns the versions that a user who asked for v may have meant: those of its
// series, else the neighbouring ones.
func nearest(known []string, v string) string {
	var same []string
	for _, k := range known {
		if version.Lang(k) == version.Lang(v) {
			same = append(same, k)
		}
	}
	if len(same) > 8 { // the latest ones are enough
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
