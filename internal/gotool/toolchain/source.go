package toolchain

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memcost/internal/base/hint"
)

// source finds and downloads toolchains: by the local go command with the user's proxy
// and module cache.
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

// cached returns the folder of a toolchain in the module cache.
func (s *source) cached(v string) (string, error) {
	name := module + "@" + prefix + v + "." + runtime.GOOS + "-" + runtime.GOARCH
	return filepath.EvalSymlinks(filepath.Join(s.modCache, filepath.FromSlash(name)))
}

// cachedVersions returns the toolchains in the module cache, oldest first.
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

// resolve parses what a user may call a version.
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
		return "", hint.New("known versions are "+nearest(known, "go"+strings.TrimPrefix(name, "go")),
			"finding the latest Go %s: there is none", name)
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
		return Toolchain{}, fmt.Errorf("finding %s: the toolchain in %s says that it is %s", want, tc.GOROOT,
			tc.Version)
	}
	return tc, nil
}

// explain adds to a failed download what the user can do about it.
func (s *source) explain(failure error, stderr, want string, known []string) error {
	installed := "already downloaded: " + cmp.Or(strings.Join(s.cachedVersions(), ", "), "none")
	if s.proxy == "off" {
		stderr += "GOPROXY=off"
	}
	return hint.With(advise(stderr, []remark{
		{[]string{"GOPROXY=off"}, "GOPROXY=off forbids downloads; " + installed},
		{[]string{"GOSUMDB=off", "checksum database disabled"},
			"Go downloads a toolchain only if it can verify it: unset GOSUMDB; " + installed},
		{[]string{"permission denied", "read-only file system", "no space left", "could not create module cache"},
			"it goes into the module cache " + s.modCache + ": make that writable, or set GOMODCACHE to another folder"},
		{[]string{"404 Not Found", "410 Gone", "403 Forbidden", "toolchain not available", "invalid toolchain"},
			"there may be no such version; the nearest known ones are " + nearest(known, want)},
		{[]string{"dial tcp", "no such host", "timeout", "connection refused", "proxyconnect", "TLS", "unreachable"},
			"no network? The download goes through GOPROXY=" + s.proxy + "; " + installed}}), failure)
}
