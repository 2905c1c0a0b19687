// This part of the package runs a small program under an allocator before anything is measured, and says
// in one line what is wrong with the allocator: it cannot be loaded, it crashes, it ends the
// program or does not come back, or it hands out memory that a program cannot use.

package settings

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/malloc/allocator"
)

//go:embed probe
var source embed.FS

// ErrNoCompiler is the error of a machine without a C compiler: there is nothing to try an
// allocator with, and File alone tells what can be told.
var ErrNoCompiler = errors.New("there is no C compiler (cc)")

// A Probe is the small program, built.
type Probe struct {
	// Limit is how long an allocator may take for all calls, some 200,000; 0 is DefaultLimit. A
	// good one takes a tenth of a second.
	Limit  time.Duration
	runner *proc.Runner
	path   string
}

// DefaultLimit is long enough for an allocator that checks each call on a busy machine.
const DefaultLimit = 10 * time.Second

// Open builds the probe with the machine's C compiler, or takes it from the cache.
func Open(ctx context.Context, b *toolchain.Builder) (*Probe, error) {
	cc, err := proc.LookPath("cc", os.Environ())
	if err != nil {
		return nil, ErrNoCompiler
	}
	path, err := b.BuildNative(ctx, toolchain.Native{Name: "the probe of allocators", With: cc, Source: source,
		Commands: [][]string{{cc, "-std=gnu11", "-O1", "-fno-builtin", "-o", "probe", "source/probe/probe.c", "-ldl"}},
		Made:     "probe"})
	return &Probe{runner: b.Runner, path: path}, err
}

const preload = "LD_PRELOAD="

// Check runs the probe with some variables besides an environment (nil: memcost's own), of which
// LD_PRELOAD loads the allocator.
func (p *Probe) Check(ctx context.Context, environ, env []string) (v Verdict, err error) {
	libraries := allocator.Libraries(libraryOf(env))
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
	cmd := proc.Cmd{Path: p.path, Args: []string{strconv.FormatInt(limit.Milliseconds(), 10)},
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

// A Verdict is what the probe saw of an allocator.
type Verdict struct {
	Broken  string   // in one line, why nothing can be measured with it; "" for one that works
	Library string   // the file that malloc came from; "" where the program did not get so far
	Says    []string // what the allocator wrote to standard error
	// Fills reports that free writes over the whole of a block, as a debugging allocator does.
	Fills bool
}

// A seen holds what a run of the probe printed, and how it ended.
type seen struct {
	library, wrong, ended string
	ok, late, fills       bool

	function    string // that it was in
	size, calls int64

	main   bool   // it came to main
	before string // what it was in before
	errors []string
	res    proc.Result
}

// read reads the lines of the probe.
func read(res proc.Result) (s seen) {
	s.res = res
	for line := range strings.Lines(string(res.Stdout)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "malloc":
			s.library = rest
		case "fill":
			var bytes, of int
			if n, _ := fmt.Sscanf(rest, "%d of %d", &bytes, &of); n == 2 {
				s.fills = bytes > of/2
			}
		case "died":
			s.ended = "died of " + rest
		case "ended":
			s.ended = "ended the program with exit status " + rest
		case "late":
			s.late = true
		case "at":
			fmt.Sscanf(rest, "%s %d %d", &s.function, &s.size, &s.calls)
		case "wrong":
			s.wrong = rest
		case "ok":
			s.ok = true
		}
		s.main = true
	}
	for line := range strings.Lines(string(res.Stderr)) {
		if line = strings.TrimSpace(line); line != "" {
			s.errors = append(s.errors, line)
		}
	}
	return s
}

// where returns what a program that did not come to main was in, as the loader of the GNU C
// library tells with LD_DEBUG=files.
func where(res proc.Result, libraries []string) string {
	loaded := allocator.ParseLoader(res.Stderr).Loaded
	if n := len(loaded); n > 0 && isOneOf(loaded[n-1], libraries) {
		return "in its constructor, before main"
	}
	return "before main"
}

// verdict says in a line what is wrong with the allocator, "" where nothing is.
func (s seen) verdict(limit time.Duration) Verdict {
	v := Verdict{Library: s.library, Says: s.errors, Fills: s.fills}
	switch {
	case s.ok && s.wrong == "":
	case s.wrong != "":
		v.Broken = s.wrong
	case !s.main && s.res.TimedOut:
		v.Broken = fmt.Sprintf("it did not come back within %v %s", limit, s.before)
	case !s.main && s.res.Signal != "":
		v.Broken = fmt.Sprintf("it died of %s %s", s.res.Signal, s.before) + s.last()
	case !s.main:
		v.Broken = fmt.Sprintf("it ended the program with exit status %d %s", s.res.ExitCode, s.before) + s.last()
	case s.late:
		v.Broken = fmt.Sprintf("%s did not come back within %v, %s", s.call(), limit, s.after())
	case s.ended != "":
		v.Broken = fmt.Sprintf("it %s in %s, %s", s.ended, s.call(), s.after()) + s.last()
	default:
		v.Broken = fmt.Sprintf("the probe ended with exit status %d %s and without an answer", s.res.ExitCode,
			s.res.Signal) + s.last()
	}
	return v
}

// call names the call that it was in: "malloc(64)".
func (s seen) call() string { return fmt.Sprintf("%s(%d)", s.function, s.size) }

// after says how many calls went well.
func (s seen) after() string {
	switch s.calls {
	case 0:
		return "its first call"
	case 1:
		return "after one call"
	}
	return fmt.Sprintf("after %d calls", s.calls)
}

// last returns the last line on standard error as the end of a sentence.
func (s seen) last() string {
	if len(s.errors) == 0 {
		return ""
	}
	return ": " + s.errors[len(s.errors)-1]
}
