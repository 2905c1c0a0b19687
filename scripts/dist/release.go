package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/cli"
)

// A platform is a system that memcost is built for.
type platform struct{ os, arch string }

// platforms are those of make dist; all_test.go builds for them too.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

func (p platform) exe() string {
	if p.os == "windows" {
		return "memcost.exe"
	}
	return "memcost"
}

// A release is one version of memcost, as it stands in the folder of the sources.
type release struct {
	runner  *proc.Runner
	version string    // of git describe, or memcost's own
	date    time.Time // of the last commit: of every file, so that archives are reproducible
}

// describe finds out what is released. Sources that are no checkout of git's have the
// program's version, and the date of SOURCE_DATE_EPOCH or of 1980, the oldest that a
// zip file knows.
func describe(ctx context.Context, runner *proc.Runner) (*release, error) {
	r := &release{runner: runner, version: cli.Version, date: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	if v := r.git(ctx, "describe", "--tags", "--match", "v[0-9]*", "--dirty"); v != "" {
		r.version = strings.TrimPrefix(v, "v")
	}
	stamp := os.Getenv("SOURCE_DATE_EPOCH")
	if stamp == "" {
		stamp = r.git(ctx, "log", "-1", "--format=%ct")
	}
	if stamp == "" {
		return r, nil
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("reading the date of the release (SOURCE_DATE_EPOCH): %w", err)
	}
	r.date = time.Unix(seconds, 0).UTC()
	return r, nil
}

// git returns what git prints, "" where it fails.
func (r *release) git(ctx context.Context, args ...string) string {
	res, err := r.runner.Run(ctx, proc.Cmd{Path: "git", Args: args})
	if err != nil || res.Err("") != nil {
		return ""
	}
	return strings.TrimSpace(string(res.Stdout))
}

// build builds a static binary.
func (r *release) build(ctx context.Context, p platform, path string) error {
	flags := "-s -w -X memcost/internal/cli.release=" + r.version
	res, err := r.runner.Run(ctx, proc.Cmd{Path: "go",
		Args: []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "./cmd/memcost"},
		Env:  proc.CleanEnv(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0")})
	if err == nil {
		err = res.Err("building memcost for " + p.os + "/" + p.arch)
	}
	return err
}

// tree is what an archive holds and make install copies: the binary, and beside it
// its man pages and completions, and texts for whoever unpacks it.
func (r *release) tree(ctx context.Context, p platform, dir string) error {
	if err := r.build(ctx, p, filepath.Join(dir, "bin", p.exe())); err != nil {
		return err
	}
	return writeDocs(dir, r.version, r.date)
}
