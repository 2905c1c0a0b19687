// This part of the package runs a small program under an allocator before anything is measured, and says
// in one line what is wrong with the allocator: it cannot be loaded, it crashes, it ends the
// program or does not come back, or it hands out memory that a program cannot use.

package settings

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/proc"
)

//go:embed probe/probe.c
var source []byte

// ErrNoCompiler is the error of a machine without a C compiler: there is nothing to try an
// allocator with, and File alone tells what can be told.
var ErrNoCompiler = errors.New("there is no C compiler (cc)")

// A Probe is the small program, built.
type Probe struct {
	// Limit is how long an allocator may take for all calls, some 200,000; 0 is DefaultLimit. A
	// good one takes a tenth of a second.
	Limit  time.Duration
	runner *proc.Runner
	dir    string
}

// DefaultLimit is long enough for an allocator that checks each call on a busy machine.
const DefaultLimit = 10 * time.Second

// Open builds the probe with the machine's C compiler. The caller closes it.
func Open(ctx context.Context, r *proc.Runner) (*Probe, error) {
	cc, err := proc.LookPath("cc", os.Environ())
	if err != nil {
		return nil, ErrNoCompiler
	}
	dir, err := os.MkdirTemp("", "memcost-alloccheck-")
	if err != nil {
		return nil, fmt.Errorf("making a folder to build the probe of allocators in: %w", err)
	}
	p := &Probe{runner: r, dir: dir}
	file := filepath.Join(dir, "probe.c")
	if err = os.WriteFile(file, source, 0o600); err == nil {
		err = p.build(ctx, cc, file)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("building the probe of allocators: %w", err)
	}
	return p, nil
}

func (p *Probe) build(ctx context.Context, cc, file string) error {
	res, err := p.runner.Run(ctx, proc.Cmd{Path: cc, Timeout: time.Minute,
		Args: []string{"-std=gnu11", "-O1", "-fno-builtin", "-o", p.path(), file, "-ldl"}})
	if err != nil {
		return err
	}
	return res.Err(cc)
}

func (p *Probe) path() string { return filepath.Join(p.dir, "probe") }

// Close removes the probe.
func (p *Probe) Close() error { return os.RemoveAll(p.dir) }

const preload = "LD_PRELOAD="

// Check runs the probe with some variables besides an environment (nil: memcost's own), of which
// LD_PRELOAD loads the allocator.
func (p *Probe) Check(ctx context.Context, environ, env []string) (v Verdict, err error) {
	libraries := preloads(env)
	for _, file := range libraries {
		if why := File(file); why != "" {
			return Verdict{Broken: file + ": " + why}, nil
		}
	}
	if environ == nil {
		environ = os.Environ()
	}
	limit := p.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	cmd := proc.Cmd{Path: p.path(), Args: []string{strconv.FormatInt(limit.Milliseconds(), 10)},
		Env: slices.Concat(environ, env), Timeout: limit + time.Second}
	res, err := p.runner.Run(ctx, cmd)
	if err != nil {
		return v, err
	}
	seen := read(res)
	if !seen.main {
		cmd.Env = append(cmd.Env, "LD_DEBUG=files")
		if res.TimedOut {
			cmd.Timeout = min(limit, time.Second) // it only has to come to the same place
		}
		again, err := p.runner.Run(ctx, cmd)
		if err != nil {
			return v, err
		}
		seen.before = where(again, libraries)
	}
	v = seen.verdict(limit)
	if v.Broken == "" && len(libraries) > 0 && !isOneOf(v.Library, libraries) {
		v.Broken = fmt.Sprintf("it defines no malloc: malloc is that of %s", v.Library)
	}
	return v, nil
}

// preloads returns the libraries that variables have loaded.
func preloads(env []string) (out []string) {
	for _, v := range env {
		if files, ok := strings.CutPrefix(v, preload); ok {
			out = strings.FieldsFunc(files, func(r rune) bool { return r == ':' || r == ' ' })
		}
	}
	return out
}
