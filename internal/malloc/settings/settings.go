// Package settings tries allocators and settings of malloc before anything is measured with them: an allocator
// that does not work and a setting that has no effect are named in a line, and cost no time.
package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/machine"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// A Trier tries settings with the program of the study malloc and with the probe of allocators.
type Trier struct {
	Builder *toolchain.Builder // of the probe
	Program string             // malloc_bench
	// Programs are its other builds, by the presets of variants; nil where none is tried.
	Programs map[string]string
	Env      []string // complete environment
	Timeout  time.Duration

	probe *Probe
	none  bool // there is no C compiler
}

// Try tries one setting.
func (t *Trier) Try(ctx context.Context, v language.Variant) (Finding, error) {
	of := unread(v.Env)
	if of.Dead != "" {
		return of, nil
	}
	f, err := t.Allocator(ctx, v.Env)
	if err != nil || f.Dead != "" {
		return f, err
	}
	dead, err := t.effect(ctx, v)
	dead.Notes = slices.Concat(of.Notes, f.Notes)
	return dead, err
}

// Allocator tries the library that a setting loads.
func (t *Trier) Allocator(ctx context.Context, env []string) (f Finding, err error) {
	library := libraryOf(env)
	if library == "" {
		return f, nil
	}
	if t.probe == nil && !t.none {
		t.probe, err = Open(ctx, t.Builder)
		if t.none = errors.Is(err, ErrNoCompiler); err != nil && !t.none {
			return f, err
		}
	}
	if t.none {
		if why := File(library); why != "" {
			f.Dead = library + ": " + why
		}
		return f, nil
	}
	verdict, err := t.probe.Check(ctx, t.Env, env)
	if err != nil {
		return f, err
	}
	if f.Dead = verdict.Broken; f.Dead != "" && !strings.HasPrefix(f.Dead, library) {
		f.Dead = library + ": " + f.Dead
	}
	return said(f, filepath.Base(library), env, verdict.Says), nil
}

// said adds what an allocator wrote to standard error at its start. What jemalloc writes while it
// reads MALLOC_CONF is that it does not take it.
func said(f Finding, library string, env, lines []string) Finding {
	if f.Dead != "" || len(lines) == 0 {
		return f
	}
	for _, kv := range env {
		if strings.HasPrefix(kv, "MALLOC_CONF=") && strings.HasPrefix(lines[0], "<jemalloc>:") {
			f.Dead = "jemalloc does not take " + kv + ": it says" + strings.TrimPrefix(lines[0], "<jemalloc>:")
			f.Advice = "options are written KEY:VALUE with commas between, as MALLOC_CONF=narenas:1,dirty_decay_ms:0"
			return f
		}
	}
	note := library + " says at its start: " + lines[0]
	if n := len(lines) - 1; n > 0 {
		note += " (and " + units.Plural(n, "more line") + ")"
	}
	f.Notes = append(f.Notes, note)
	return f
}

// effect has the program itself look at a setting.
func (t *Trier) effect(ctx context.Context, v language.Variant) (f Finding, err error) {
	program := cmp.Or(t.Programs[v.Preset], t.Program)
	for _, mode := range []string{"--benchmark_list_tests=true", "--check"} {
		res, err := t.Builder.Runner.Run(ctx, proc.Cmd{Path: program, Args: append(slices.Clone(v.Args), mode),
			Env: append(slices.Clone(t.Env), v.Env...), Timeout: t.Timeout})
		const noEffect = 3
		switch {
		case err != nil:
			return f, err
		case res.TimedOut:
			f.Dead = fmt.Sprintf("malloc_bench %s did not end within %v", mode, t.Timeout)
		case res.Signal != "":
			f.Dead = fmt.Sprintf("malloc_bench %s died of %s", mode, res.Signal)
		case res.ExitCode == noEffect && mode == "--check":
			f.Dead, err = withoutEffect(v, res.Stdout)
		case res.ExitCode != 0:
			f.Dead, f.Advice, _ = strings.Cut(strings.TrimSpace(string(res.Stderr)), "\nhint: ")
			f.Dead = strings.TrimPrefix(f.Dead, "malloc_bench: ")
		}
		if err != nil || f.Dead != "" {
			return f, err
		}
	}
	return f, nil
}

// withoutEffect returns which setting has none, by what malloc_bench --check printed.
func withoutEffect(v language.Variant, stdout []byte) (string, error) {
	var x struct {
		Checks []struct{ Name, Value, Status, Detail string } `json:"checks"`
	}
	if err := json.Unmarshal(stdout, &x); err != nil {
		return "", fmt.Errorf("reading what malloc_bench --check says of %s: %w", v.Keys, err)
	}
	for _, c := range x.Checks {
		if c.Status == "no effect" {
			return fmt.Sprintf("%s=%s did not take effect: %s", c.Name, c.Value, c.Detail), nil
		}
	}
	return "a setting did not take effect (malloc_bench --check)", nil
}

// Own tries the user's settings, and returns the error of the first that is dead; note is called
// with what an allocator says.
func (t *Trier) Own(ctx context.Context, all []language.Variant, note func(string)) error {
	for _, v := range all {
		f, err := t.Try(ctx, v)
		if err != nil {
			return err
		}
		for _, n := range f.Notes {
			note(n)
		}
		if f.Dead != "" {
			return hint.Usage(f.Advice, "--vary %s: %s", written(v), strings.TrimPrefix(f.Dead, libraryOf(v.Env)+": "))
		}
	}
	return nil
}

// written returns a setting as the user writes it.
func written(v language.Variant) string {
	words := slices.Clone(v.Env)
	for _, arg := range v.Args {
		words = append(words, strings.TrimPrefix(arg, "-m"))
	}
	return strings.Join(words, " ")
}

// Leave tries the settings that a study's cases are run with. Those of a dead one leave the plan,
// in which one failure says why.
func (t *Trier) Leave(ctx context.Context, p *plan.Plan, study, side int) error {
	for _, v := range p.Studies[study].Variants {
		of := func(c plan.Case) bool {
			return c.Study == study && slices.Equal(c.Env, v.Env) && slices.Equal(c.Args, v.Args) &&
				c.Preset == v.Preset
		}
		if !slices.ContainsFunc(p.Cases, of) {
			continue
		}
		f, err := t.Try(ctx, v)
		if err != nil {
			return err
		}
		if f.Dead == "" {
			continue
		}
		p.Cases = slices.DeleteFunc(p.Cases, of)
		p.Failures = append(p.Failures, plan.Failure{Study: study, Name: v.Keys, Side: p.Sides[side].Name,
			Reason: "INVALID: " + f.Dead})
	}
	return nil
}

// A Finding says what is wrong with a setting.
type Finding struct {
	Dead   string   // in one line, why nothing can be measured with it; "" where it can
	Advice string   // what to do about it; "" where nothing is known
	Notes  []string // what the allocator said at its start
}

// libraryOf returns what an environment has loaded, as it is written there.
func libraryOf(env []string) string {
	for _, kv := range env {
		if library, ok := strings.CutPrefix(kv, preload); ok {
			return library
		}
	}
	return ""
}

// ofGlibc are the variables that the GNU C library reads besides GLIBC_TUNABLES: mallopt(3),
// mtrace(3).
func ofGlibc() []string {
	return []string{"MALLOC_ARENA_MAX", "MALLOC_ARENA_TEST", "MALLOC_CHECK_", "MALLOC_MMAP_MAX_",
		"MALLOC_MMAP_THRESHOLD_", "MALLOC_PERTURB_", "MALLOC_TOP_PAD_", "MALLOC_TRACE", "MALLOC_TRIM_THRESHOLD_"}
}

// unread finds a variable that another allocator reads than the one that is loaded. Of a library
// that is not known it is not known what it reads.
func unread(env []string) (f Finding) {
	runs := allocatorOf(libraryOf(env))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		reader := allocator.ReaderOf(name)
		switch {
		case reader == "" || runs == "":
		case runs != reader:
			f.Dead = runs + " ignores " + name + ": it is for " + reader
			f.Advice = "load the allocator with it: --vary 'LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=narenas:1'"
			if reader == allocator.GLIBC {
				f.Advice = "leave one of the two out"
			}
			return f
		case reader == allocator.GLIBC && name != "GLIBC_TUNABLES" && !slices.Contains(ofGlibc(), name):
			// Of use where settings that differ in nothing are compared.
			f.Notes = append(f.Notes, "glibc does not read "+name+": it reads "+strings.Join(ofGlibc(), ", ")+
				" and GLIBC_TUNABLES")
		}
	}
	return f
}

// allocatorOf returns the known allocator that a library is, glibc where none is loaded.
func allocatorOf(library string) string {
	if library == "" {
		return allocator.GLIBC
	}
	for _, k := range allocator.AllKnown() {
		if slices.ContainsFunc(k.Libraries, func(pattern string) bool {
			short, _, _ := strings.Cut(pattern, ".so")
			match, _ := filepath.Match(strings.TrimRight(short, "*")+"*", filepath.Base(library))
			return match
		}) {
			return k.Name
		}
	}
	return ""
}

// LockLimit says what a limit of locked memory does to the settings that lock all memory, "" where
// there is no limit or none of them does. Without cases, each setting counts; else those that have
// one.
func LockLimit(m machine.Fingerprint, all []language.Variant, cases []plan.Case) string {
	const lock = "-L"
	limit, err := strconv.ParseInt(m.Limits["memlock"], 10, 64)
	if err != nil || m.MayLock {
		return ""
	}
	locks := slices.ContainsFunc(all, func(v language.Variant) bool { return slices.Contains(v.Args, lock) })
	if len(cases) > 0 {
		locks = slices.ContainsFunc(cases, func(c plan.Case) bool { return slices.Contains(c.Args, lock) })
	}
	if !locks {
		return ""
	}
	return "RLIMIT_MEMLOCK is " + units.Bytes(limit) + ": under mlockall those cases are measured that fit, and of " +
		"the others each says by how much it does not; to measure all: " + machine.MoreLocked
}
