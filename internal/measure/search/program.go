package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/proc"
)

// facts holds what the program reports about itself under a setting (--check).
type cliffFacts struct {
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

func (f cliffFacts) glibc() bool {
	return strings.Contains(f.Platform, "glibc") && strings.HasPrefix(filepath.Base(f.Library), "libc.so")
}

// locked reports whether the program locks its memory (-L). Its own count of locked
// bytes may be 0 where it exceeded the limit.
func (s Setting) locked() bool { return slices.Contains(s.Args, "-L") }

// program runs the program under one setting.
type cliffProgram struct {
	CliffOptions
	set Setting
}

func (p *cliffProgram) run(ctx context.Context, what string, args ...string) (proc.Result, error) {
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
func (p *cliffProgram) check(ctx context.Context) (cliffFacts, error) {
	const what = "checking the setting"
	var f cliffFacts
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
func (p *cliffProgram) probe(ctx context.Context, size int64) (Probe, error) {
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
		return Probe{}, fmt.Errorf("%s: the program printed %q, which is not the result of a probe: %w",
			what, clip(line), err)
	}
	if strings.HasPrefix(p.Null, "skipped") {
		return p, errSkipped
	}
	if p.Size != size || p.Null == "" && (p.Mechanism == "" || p.First.Mechanism == "" || p.TimerNS <= 0 ||
		p.MallocNS < 0 || p.TouchNS < 0 || p.FreeNS < 0) {
		return Probe{}, fmt.Errorf("%s: the program printed %q, which is not the result of a probe of that size",
			what, clip(line))
	}
	return p, nil
}

// clip returns the beginning of a text for a message.
func clip(b []byte) string {
	const most = 120
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}
