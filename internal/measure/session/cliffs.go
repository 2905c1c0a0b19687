package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/measure/search"
	"memcost/internal/study/language"
)

// A cliffSearch finds the block sizes at which malloc changes what it does.
type cliffSearch struct {
	*record
	options  search.CliffOptions
	settings []language.Variant // all of them; those that are done are not searched a second time
	done     map[string]bool
	began    time.Time
	of       string // the setting that is searched
	searched int    // in this part
	open     int    // those that it is to search
}

func (s *cliffSearch) found() int { return len(s.done) }

func (s *cliffSearch) add(r *benchfmt.Result) error {
	if name, ok := search.Done(r); ok {
		s.done[name] = true
	}
	return nil
}

// memoryShare is the part of the available memory that one block may take: the program
// holds one, and a child that counts its calls holds another.
const memoryShare = 4

// prepare builds the program and chooses the settings.
func (s *cliffSearch) prepare(ctx context.Context) error {
	program, st, err := s.buildMalloc(ctx)
	if err != nil {
		return err
	}
	if err := s.choose(st); err != nil {
		return err
	}
	q := s.Question.Search
	if n, ok := memory(); ok {
		q.Largest = max(q.Smallest, min(q.Largest, n/memoryShare))
	}
	s.options = search.CliffOptions{Program: program, Runner: s.Runner, Env: proc.CleanEnv(os.Environ(),
		allocatorVariables()...),
		Smallest: q.Smallest, Largest: q.Largest, MayLock: s.Question.Machine.MayLock,
		Timeout: search.ProbeTime, Log: s.progress}
	return nil
}

// choose turns the study's variants into settings: each way to run the program once,
// whatever else the variants differ in, and those that are named.
func (s *cliffSearch) choose(st *language.Study) error {
	seen := map[string]bool{}
	ways := slices.DeleteFunc(slices.Clone(st.Variants), func(v language.Variant) bool {
		way := strings.Join(slices.Concat(v.Env, v.Args), "\x00")
		leave := seen[way]
		seen[way] = true
		return leave
	})
	named, err := namedVariants(ways, s.Question.Plan.Options.Bench)
	if err != nil {
		return err
	}
	s.settings = s.variantsHere(&language.Study{Name: st.Name, Variants: named}, false)
	if len(s.settings) == 0 {
		return errors.New("none of the settings can be tried here")
	}
	return nil
}

func (s *cliffSearch) lines() []string {
	var out []string
	for _, x := range s.settings {
		words := slices.Concat(x.Env, []string{s.options.Program}, x.Args, []string{"--probe=SIZE"})
		out = append(out, x.Keys, "  "+strings.Join(words, " "))
	}
	return out
}

// find searches the settings that are not done.
func (s *cliffSearch) find(ctx context.Context) error {
	open := slices.DeleteFunc(slices.Clone(s.settings), func(x language.Variant) bool { return s.done[x.Keys] })
	s.began, s.open = time.Now(), len(open)
	for _, x := range open {
		s.of = x.Keys
		f, err := search.FindCliffs(ctx, s.options, x)
		if err != nil {
			return err
		}
		s.searched++
		s.done[x.Keys] = true
		if f.Failed != "" {
			s.Log.Note("warning: " + f.Failed)
		}
		side := s.Question.Plan.Sides[0]
		if err := s.keep(f.Results(), [2]string{"study", s.Question.Plan.Studies[0].Name},
			[2]string{"toolchain", side.Toolchain}, [2]string{"arm", side.Name}); err != nil {
			return err
		}
	}
	return nil
}

// progress reports how far the search has come. Settings take about the same time each.
func (s *cliffSearch) progress(what string, share float64) {
	text := fmt.Sprintf("%s: %s (setting %d of %d", s.of, what, s.searched+1, s.open)
	if done := float64(s.searched) + share; done > 0.05 {
		text += timeLeft(s.began, done/float64(s.open))
	}
	s.Log.Step(text + ")")
}

// allocatorVariables would make an allocator of the user's shell part of every setting.
func allocatorVariables() []string {
	return []string{"LD_PRELOAD", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_",
		"MALLOC_PERTURB_", "MALLOC_TOP_PAD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_CONF"}
}
