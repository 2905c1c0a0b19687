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
	settings []search.Setting // all of them; those that are done are not searched a second time
	done     map[string]bool
	began    time.Time
	searched int // in this part
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
		Found: s.finding, Log: s.progress}
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
	for _, v := range s.variantsHere(&language.Study{Name: st.Name, Variants: named}, false) {
		s.settings = append(s.settings, search.Setting{Name: v.Keys, Args: v.Args, Env: v.Env})
	}
	if len(s.settings) == 0 {
		return errors.New("none of the settings can be tried here")
	}
	return nil
}

func (s *cliffSearch) lines() []string {
	var out []string
	for _, x := range s.settings {
		words := slices.Concat(x.Env, []string{s.options.Program}, x.Args, []string{"--probe=SIZE"})
		out = append(out, x.Name, "  "+strings.Join(words, " "))
	}
	return out
}

// find searches the settings that are not done.
func (s *cliffSearch) find(ctx context.Context) error {
	s.began = time.Now()
	for _, x := range s.settings {
		if !s.done[x.Name] {
			s.options.Settings = append(s.options.Settings, x)
		}
	}
	return search.FindCliffs(ctx, s.options)
}

// finding keeps what was found about a setting as soon as it is there.
func (s *cliffSearch) finding(f search.Finding) error {
	s.searched++
	s.done[f.Setting.Name] = true
	if f.Failed != "" {
		s.Log.Note("warning: " + f.Failed)
	}
	arm := s.Question.Plan.Arms[0]
	return s.keep(f.Results(), [2]string{"study", s.Question.Plan.Studies[0].Name},
		[2]string{"toolchain", arm.Toolchain}, [2]string{"arm", arm.Name})
}

// progress reports how far the search has come. Settings take about the same time each.
func (s *cliffSearch) progress(what string, share float64) {
	open := s.options.Settings
	if s.searched >= len(open) {
		return
	}
	text := fmt.Sprintf("%s: %s (setting %d of %d", open[s.searched].Name, what, s.searched+1, len(open))
	if done := float64(s.searched) + share; done > 0.05 {
		text += timeLeft(s.began, done/float64(len(open)))
	}
	s.Log.Step(text + ")")
}

// allocatorVariables would make an allocator of the user's shell part of every setting.
func allocatorVariables() []string {
	return []string{"LD_PRELOAD", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_",
		"MALLOC_PERTURB_", "MALLOC_TOP_PAD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_CONF"}
}
