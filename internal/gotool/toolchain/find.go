package toolchain

import (
	"context"
	"errors"
	"fmt"
	"go/version"

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
