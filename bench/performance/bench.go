package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memcost/internal/base/proc"
)

// A bench holds what every part needs.
type bench struct {
	runner  *proc.Runner
	env     []string  // of the processes: without settings of Go from the shell
	memcost string    // absolute path
	dir     string    // absolute; everything that is made lies here
	scale   float64   // 1 for the figures of docs/performance.md, less to try it
	minutes float64   // of the steps of the part methods
	seeds   int       // of the part studies
	out     io.Writer // Markdown
	log     io.Writer // progress
}

func (b *bench) places(memcost, dir string) (err error) {
	if b.memcost, err = filepath.Abs(memcost); err != nil {
		return err
	}
	if _, err := os.Stat(b.memcost); err != nil {
		return fmt.Errorf("looking for memcost: %w (make build makes it; -memcost names another)", err)
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("looking for a place for the samples: %w (-dir names one)", err)
		}
		dir = filepath.Join(cache, "memcost-bench")
	}
	if b.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	return os.MkdirAll(b.dir, 0o777)
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(b.log, "%s  "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format, args...) }

// commands shows what was run, as one would type it.
func (b *bench) commands(lines ...string) {
	b.printf("    %s\n\n", strings.Join(lines, "\n    "))
}

// times returns a number of repetitions at this scale, at least least.
func (b *bench) times(full, least int) int {
	return max(int(math.Round(float64(full)*b.scale)), least)
}

// do runs a process that must succeed.
func (b *bench) do(ctx context.Context, c proc.Cmd) (proc.Result, error) {
	if c.Env == nil {
		c.Env = b.env
	}
	res, err := b.runner.Run(ctx, c)
	if err == nil {
		err = res.Err("running " + filepath.Base(c.Path) + " " + strings.Join(c.Args, " "))
	}
	if err == nil && res.StdoutLost > 0 {
		err = fmt.Errorf("running %s: it printed %d bytes more than the limit", filepath.Base(c.Path), res.StdoutLost)
	}
	return res, err
}

// build makes a program or, of a package's benchmarks, a test binary.
func (b *bench) build(ctx context.Context, dir, name string, args ...string) (path string, err error) {
	path = filepath.Join(b.dir, name)
	_, err = b.do(ctx, proc.Cmd{Path: "go", Args: append(args[:1:1], append([]string{"-o", path}, args[1:]...)...),
		Dir: dir})
	return path, err
}

// benchstat builds the benchstat of the version in go.mod.
func (b *bench) benchstat(ctx context.Context) (path string, err error) {
	return b.build(ctx, "", "benchstat", "build", "golang.org/x/perf/cmd/benchstat")
}

// hashOf returns a short hash of values and of the contents of files.
func hashOf(files []string, values ...any) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, values...)
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:4]), nil
}
