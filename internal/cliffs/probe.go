package cliffs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/proc"
)

// A Probe is what the program said about one size: see the head of probe.cpp of the
// study malloc. Times are nanoseconds with the timer's own in them, medians of the
// blocks after the first; faults and calls are of one such block.
type Probe struct {
	Size        int64   `json:"size"`
	TimerNS     float64 `json:"timer_ns"`
	Mechanism   string  `json:"mechanism"`
	First       First   `json:"first"`
	MallocNS    float64 `json:"malloc_ns"`
	TouchNS     float64 `json:"touch_ns"`
	FreeNS      float64 `json:"free_ns"`
	MallocFault int64   `json:"malloc_faults"`
	TouchFault  int64   `json:"touch_faults"`
	Kept        bool    `json:"kept"`
	Brk         int64   `json:"brk"`
	Mmap        int64   `json:"mmap"`
	Munmap      int64   `json:"munmap"`
	Madvise     int64   `json:"madvise"`
	Uncounted   string  `json:"uncounted"` // why the calls are missing
	Null        string  `json:"null"`      // why malloc failed
}

// First is the first block of the process.
type First struct {
	Mechanism   string `json:"mechanism"`
	MallocFault int64  `json:"malloc_faults"`
	TouchFault  int64  `json:"touch_faults"`
}

// errSkipped is a size that the program did not try, for want of memory.
var errSkipped = errors.New("skipped")

// signature is what a size does, apart from how long it takes. Two sizes with the same
// one are served in the same way.
type signature struct {
	null                       string
	first, mechanism           string
	brk, mmap, munmap, madvise int64
	kept                       bool
	mallocFaults, touchFaults  bool
	uncounted                  bool
}

// same is whether two sizes are served in the same way. Where the calls of one of them
// could not be counted, they say nothing.
func same(a, b signature) bool {
	if a.uncounted != b.uncounted && a.null == "" && b.null == "" {
		for _, s := range []*signature{&a, &b} {
			s.brk, s.mmap, s.munmap, s.madvise, s.kept, s.uncounted = 0, 0, 0, 0, false, false
		}
	}
	return a == b
}

// signature of a probe. Only glibc says which blocks its thread cache holds: with
// another malloc "tcache" and "heap" are the same. That memory was kept is told by the
// calls where they are counted: the resident set that "kept" is read from is kept by
// the kernel in batches (Documentation/filesystems/proc.rst: "inaccurate").
func (p Probe) signature(glibc bool) signature {
	if p.Null != "" {
		return signature{null: p.Null}
	}
	name := func(mechanism string) string {
		if !glibc && mechanism == "tcache" {
			return "heap"
		}
		return mechanism
	}
	s := signature{first: name(p.First.Mechanism), mechanism: name(p.Mechanism),
		brk: p.Brk, mmap: p.Mmap, munmap: p.Munmap, madvise: p.Madvise,
		mallocFaults: p.MallocFault > 0, touchFaults: p.TouchFault > 0}
	if p.Uncounted != "" {
		s.kept, s.uncounted = p.Kept, true
	}
	return s
}

// String is the evidence of one side, in words.
func (p Probe) String() string {
	if p.Null != "" {
		return fmt.Sprintf("at %d B malloc fails: %s", p.Size, p.Null)
	}
	calls := fmt.Sprintf("brk %d, mmap %d, munmap %d, madvise %d", p.Brk, p.Mmap, p.Munmap, p.Madvise)
	if p.Uncounted != "" {
		calls = "calls not counted: " + p.Uncounted
	}
	return fmt.Sprintf("at %d B %s (first block %s), %s, faults %d in malloc and %d at the touch, %.0f + %.0f + %.0f ns",
		p.Size, p.Mechanism, p.First.Mechanism, calls, p.MallocFault, p.TouchFault, p.MallocNS, p.TouchNS, p.FreeNS)
}

// facts are what the program says about itself under a setting (--check).
type facts struct {
	Platform string `json:"platform"`
	Library  string `json:"malloc_library"`
	Memlock  string `json:"memlock_limit"` // bytes, or a word
	Checks   []struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Status string `json:"status"`
		Detail string `json:"detail"`
	} `json:"checks"`
}

func (f facts) glibc() bool {
	return strings.Contains(f.Platform, "glibc") && strings.HasPrefix(filepath.Base(f.Library), "libc.so")
}

// locked is whether the program locks its memory (-L). Its own count of locked bytes
// may be 0 where the limit is what it ran into.
func (s Setting) locked() bool { return slices.Contains(s.Args, "-L") }

// program runs the program under one setting.
type program struct {
	Options
	set Setting
}

func (p *program) run(ctx context.Context, what string, args ...string) (proc.Result, error) {
	what += " with " + p.set.Name
	res, err := p.Runner.Run(ctx, proc.Cmd{Path: p.Program, Args: slices.Concat(p.set.Args, args),
		Env: proc.CleanEnv(p.Env, p.set.Env...), Timeout: p.Timeout})
	if err == nil {
		err = res.Err(what)
	}
	return res, err
}

// check reads every knob back: a setting without effect has no cliffs of its own. That
// locked memory ends at RLIMIT_MEMLOCK is no such failure: it is a cliff.
func (p *program) check(ctx context.Context) (facts, error) {
	const what = "checking the setting"
	var f facts
	res, err := p.run(ctx, what, "--check")
	if json.Unmarshal(res.Stdout, &f) != nil {
		if err == nil {
			err = fmt.Errorf("%s with %s: the program printed no facts: %q", what, p.set.Name, clip(res.Stdout))
		}
		return f, err
	}
	excused := false
	for _, c := range f.Checks {
		switch {
		case c.Status != "no effect":
		case c.Name == "mlockall" && p.set.locked() && strings.Contains(c.Detail, "RLIMIT_MEMLOCK"):
			excused = true
		default:
			return f, fmt.Errorf("%s with %s: %s=%s had no effect: %s", what, p.set.Name, c.Name, c.Value, c.Detail)
		}
	}
	if excused && res.ExitCode == checkFailed {
		return f, nil
	}
	return f, err
}

// checkFailed is the program's exit status when a check failed.
const checkFailed = 3

// probe tries one size in a fresh process.
func (p *program) probe(ctx context.Context, size int64) (Probe, error) {
	// A fresh page of an allocator's own serves its first blocks only: blocks that fit
	// into it are tried more often. Large ones take long.
	times := 21
	if size > 1<<20 {
		times = 5
	}
	what := fmt.Sprintf("probing a block of %d bytes", size)
	res, err := p.run(ctx, what, "--probe="+strconv.FormatInt(size, 10), "--times="+strconv.Itoa(times))
	if err != nil {
		return Probe{}, err
	}
	return readProbe(res.Stdout, size, what+" with "+p.set.Name)
}

func readProbe(text []byte, size int64, what string) (Probe, error) {
	var p Probe
	line := bytes.TrimSpace(text)
	if err := json.Unmarshal(line, &p); err != nil {
		return Probe{}, fmt.Errorf("%s: the program printed %q, which is no probe: %w", what, clip(line), err)
	}
	if strings.HasPrefix(p.Null, "skipped") {
		return p, errSkipped
	}
	if p.Size != size || p.Null == "" && (p.Mechanism == "" || p.First.Mechanism == "" || p.TimerNS <= 0 || p.MallocNS < 0 || p.TouchNS < 0 || p.FreeNS < 0) {
		return Probe{}, fmt.Errorf("%s: the program printed %q, which is no probe of that size", what, clip(line))
	}
	return p, nil
}

// clip is the beginning of a text for a message.
func clip(b []byte) string {
	const most = 120
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}
