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
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// A Trier tries settings with the program of the study malloc and with the probe of allocators.
type Trier struct {
	Runner  *proc.Runner
	Program string // malloc_bench
	// Programs are its other builds, by the presets of variants; nil where none is tried.
	Programs map[string]string
	Env      []string // complete environment
	Timeout  time.Duration

	probe *Probe
	none  bool // there is no C compiler
}

// Close removes what trying needed.
func (t *Trier) Close() error {
	if t.probe == nil {
		return nil
	}
	return t.probe.Close()
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
		t.probe, err = Open(ctx, t.Runner)
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
		res, err := t.Runner.Run(ctx, proc.Cmd{Path: program, Args: append(slices.Clone(v.Args), mode),
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
func (t *Trier) Leave(ctx context.Context, p *plan.Plan, suite, arm int) error {
	for _, v := range p.Suites[suite].Variants {
		of := func(c plan.Case) bool {
			return c.Suite == suite && slices.Equal(c.Env, v.Env) && slices.Equal(c.Args, v.Args) &&
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
		p.Failures = append(p.Failures, plan.Failure{Suite: suite, Name: v.Keys, Arm: p.Arms[arm].Name,
			Reason: "INVALID: " + f.Dead})
	}
	return nil
}
