// Package toolchain finds Go toolchains and builds benchmark binaries with them.
//
// Toolchains other than the local one are Go's own toolchain modules
// (https://go.dev/doc/toolchain), downloaded and verified by the go command.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"path/filepath"
	"strings"

	"memcost/internal/proc"
)

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
	Log    func(string) // told of downloads and of second choices; nil is silent
}

// Local is the go on PATH.
func (f *Finder) Local(ctx context.Context) (Toolchain, error) {
	goCmd, err := proc.LookPath("go", environ(f.Env))
	if errors.Is(err, proc.ErrNotFound) {
		return Toolchain{}, errors.New("finding the local Go toolchain: there is no go command on PATH\n" +
			"hint: install Go 1.21 or newer from https://go.dev/dl and add its bin folder to PATH")
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

// Find is the toolchain of a version: "local", "go1.25.4" or "1.25.4"; a
// series ("1.25") stands for its latest patch among Versions, and "1.13.0" for
// the release that was called go1.13. One that is not installed is downloaded.
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
		return Toolchain{}, fmt.Errorf("finding %s: the local go is %s, which cannot download other toolchains\n"+
			"hint: put Go 1.21 or newer first on PATH (https://go.dev/dl)", want, local.Version)
	}
	return source.fetch(ctx, want)
}

// Resolve names the toolchain that Find finds, and whether it has to be downloaded
// first. It downloads nothing but, for a series, the list of versions.
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

// resolve reads what a user may call a version.
func (s *source) resolve(ctx context.Context, name string) (string, error) {
	want, series, err := parseVersion(name)
	if err != nil || !series || want == s.local.Version {
		return want, err
	}
	known, err := s.versions(ctx)
	if err != nil {
		return "", fmt.Errorf("finding the latest Go %s: %w", name, err)
	}
	last := LastPatch(known, want)
	if last == "" {
		return "", fmt.Errorf("finding the latest Go %s: there is none\nhint: known versions are %s", name, nearest(known, "go"+strings.TrimPrefix(name, "go")))
	}
	return last, nil
}

// fetch lets the local go command switch to the version, which downloads it if
// it is not in the module cache, and asks where it lies.
func (s *source) fetch(ctx context.Context, want string) (Toolchain, error) {
	if _, err := s.cached(want); err != nil {
		s.log("downloading " + want)
	}
	res, err := s.run(ctx, []string{"GOTOOLCHAIN=" + want}, "env", "GOROOT")
	if err != nil {
		return Toolchain{}, fmt.Errorf("finding %s: %w", want, err)
	}
	if failure := res.Err("finding " + want); failure != nil {
		known, _ := s.versions(ctx) // a list that cannot be had only makes the hint shorter
		return Toolchain{}, s.explain(failure, string(res.Stderr), want, known)
	}
	there := *s.session
	there.goCmd = filepath.Join(strings.TrimSpace(string(res.Stdout)), "bin", "go"+exe)
	tc, err := there.identify(ctx)
	if err != nil {
		return Toolchain{}, err
	}
	if tc.Version != want {
		return Toolchain{}, fmt.Errorf("finding %s: the toolchain in %s says that it is %s", want, tc.GOROOT, tc.Version)
	}
	return tc, nil
}

// explain adds to a failed download what the user can do about it.
func (s *source) explain(failure error, stderr, want string, known []string) error {
	has := func(any ...string) bool {
		for _, text := range any {
			if strings.Contains(stderr, text) {
				return true
			}
		}
		return false
	}
	installed := "none"
	if have := s.cachedVersions(); len(have) > 0 {
		installed = strings.Join(have, ", ")
	}
	var hint string
	switch {
	case s.proxy == "off" || has("GOPROXY=off"):
		hint = "GOPROXY=off forbids downloads; already downloaded: " + installed
	case has("GOSUMDB=off", "checksum database disabled"):
		hint = "Go downloads a toolchain only if it can verify it: unset GOSUMDB; already downloaded: " + installed
	case has("permission denied", "read-only file system", "no space left", "could not create module cache"):
		hint = "it goes into the module cache " + s.modCache + ": make that writable, or set GOMODCACHE to another folder"
	case has("404 Not Found", "410 Gone", "403 Forbidden", "toolchain not available", "invalid toolchain"):
		hint = fmt.Sprintf("there may be no such version; the nearest known ones are %s", nearest(known, want))
	case has("dial tcp", "no such host", "timeout", "connection refused", "proxyconnect", "TLS", "unreachable"):
		hint = fmt.Sprintf("no network? The download goes through GOPROXY=%s; already downloaded: %s", s.proxy, installed)
	default:
		return failure
	}
	return fmt.Errorf("%w\nhint: %s", failure, hint)
}
