package toolchain

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"memcost/internal/base/cache"
)

// keep puts a finished binary under its SHA-256 into the cache, where a
// build.json per build of a study copy names its binaries.
func (j *job) keep(path string) (string, error) {
	sum, exact, err := examine(path, marker)
	if err != nil {
		return "", fmt.Errorf("reading the binary of %s: %w", j.spec.Pkg, err)
	}
	if j.out.Hash == "" {
		j.out.Hash, j.out.FloatAllocs = sum, exact
	}
	if j.overlay != "" && !exact {
		j.warn("%s did not use the changed testing package: %s", j.spec.Toolchain.Version, rounded)
	}
	if j.spec.Fresh != "" {
		dir, err := os.MkdirTemp(j.spec.Fresh, "")
		if err != nil {
			return "", fmt.Errorf("keeping the binary of %s: %w", j.spec.Pkg, err)
		}
		to := filepath.Join(dir, "bench.test"+exe)
		return to, os.Rename(path, to)
	}
	to := filepath.Join(j.cache, sum, "bench.test"+exe)
	if there, _, err := examine(to, marker); err == nil && there == sum {
		cache.Touch(to)
		return to, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return "", fmt.Errorf("keeping the binary of %s: %w", j.spec.Pkg, err)
	}
	if err := os.Rename(path, to); err != nil {
		if there, _, _ := examine(to, marker); there != sum { // else another memcost was faster
			return "", fmt.Errorf("keeping the binary of %s: %w", j.spec.Pkg, err)
		}
	}
	return to, nil
}

// target are the settings of `go env`, of one Go or another, that change what
// is built.
var target = []string{
	"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"GOEXPERIMENT", "GOFIPS140", "CGO_ENABLED", "CC", "CXX", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS",
	"CGO_LDFLAGS",
}

// chooseKey gives a build from a study copy the key under which it is saved:
// everything that it depends on.
func (j *job) chooseKey(ctx context.Context) error {
	content, err := HashDir(os.DirFS(j.spec.Dir))
	if err != nil {
		return fmt.Errorf("reading %s: %w", j.spec.Dir, err)
	}
	values, err := j.settings(ctx)
	if err != nil {
		return err
	}
	env := append([]string(nil), j.spec.Env...)
	sort.Strings(env)
	parts := []string{
		j.spec.Toolchain.Version, j.spec.Toolchain.GOROOT, content, j.spec.Dir, j.spec.Pkg,
		filepath.Base(filepath.Dir(j.overlay)),
		strings.Join(j.spec.Flags, "\x00"), strings.Join(env, "\x00"), fmt.Sprint(j.spec.Layouts),
	}
	if j.spec.Fresh != "" { // what is known of the build whatever its links
		parts[len(parts)-1] = "fresh"
	}
	for _, k := range target {
		parts = append(parts, k+"="+values[k])
	}
	j.indexKey = hash(parts...)
	return nil
}

func (j *job) index() string { return filepath.Join(j.cache, j.indexKey, "build.json") }

// load finds a build that was made before.
func (j *job) load() (Binaries, bool) {
	if j.indexKey == "" {
		return Binaries{}, false
	}
	text, err := os.ReadFile(j.index())
	if err != nil {
		return Binaries{}, false
	}
	var done Binaries
	if json.Unmarshal(text, &done) != nil || len(done.Paths) == 0 && j.spec.Fresh == "" {
		return Binaries{}, false
	}
	for _, path := range done.Paths {
		sum, _, err := examine(path, marker)
		if err != nil || sum != filepath.Base(filepath.Dir(path)) {
			return Binaries{}, false // removed or damaged: it must be rebuilt
		}
		cache.Touch(path)
	}
	cache.Touch(j.index())
	return done, true
}

func (j *job) save() error {
	if j.indexKey == "" {
		return nil
	}
	out := j.out
	if j.spec.Fresh != "" {
		out.Paths, out.Layouts, out.Hash = nil, nil, ""
	}
	text, err := json.MarshalIndent(out, "", "\t")
	if err == nil {
		err = writeFile(j.index(), text)
	}
	if err != nil {
		return fmt.Errorf("remembering the build of %s: %w", j.spec.Pkg, err)
	}
	return nil
}
