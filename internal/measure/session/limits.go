package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/search"
)

// A limitSearch finds what stays on the stack, by Go version.
type limitSearch struct {
	*record
	versions string
	keep     bool               // what is downloaded
	names    []string           // of the limits that are wanted
	missing  map[string]bool    // versions that have to be downloaded
	known    map[[2]string]bool // versions and names of limits that an earlier part found
	done     int                // limits that are known
	tried    int                // of those, in this part
	began    time.Time
}

func (s *limitSearch) found() int { return s.done }

func (s *limitSearch) add(r *benchfmt.Result) error {
	row, err := search.FromResult(r)
	if err == nil && row.Failed == "" { // else it is tried again
		s.known[[2]string{row.Version, row.Name}] = true
	}
	return err
}

// prepare chooses the limits by their names, and names the toolchains, oldest first,
// without downloading them.
func (s *limitSearch) prepare(ctx context.Context) error {
	only := s.Question.Plan.Options.Bench
	re, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("reading which limits are wanted: %w", err)
	}
	s.names = slices.DeleteFunc(search.Names(), func(n string) bool { return !re.MatchString(n) })
	if len(s.names) == 0 {
		return hint.Usage("the limits are: "+strings.Join(search.Names(), ", "), "--only %q matches no limit", only)
	}
	if len(s.Question.Plan.Sides) > 0 {
		return nil // they are in the run folder already
	}
	s.Log.Step("looking up Go versions")
	versions, err := s.Versions(ctx, s.versions)
	if err != nil {
		return err
	}
	var names []string
	for _, v := range versions {
		name, missing, err := s.Finder.Resolve(ctx, v)
		if err != nil {
			if len(versions) == 1 || ctx.Err() != nil {
				return err
			}
			s.leftOut("Go %s: %v", v, err)
			continue
		}
		names = append(names, name)
		s.missing[name] = missing
	}
	toolchain.Sort(names)
	for _, n := range slices.Compact(names) {
		s.Question.Plan.Sides = append(s.Question.Plan.Sides, plan.Side{Name: n, Toolchain: n})
	}
	if len(s.Question.Plan.Sides) == 0 {
		return fmt.Errorf("finding Go %s: none of these versions can be had", s.versions)
	}
	return nil
}

func (s *limitSearch) dir() string { return filepath.Join(s.Builder.CacheDir, "limits") }

func (s *limitSearch) lines() []string {
	var out []string
	for _, side := range s.Question.Plan.Sides {
		note := ""
		if s.missing[side.Name] {
			note = ", to be downloaded"
		}
		out = append(out, side.Name+note)
	}
	for _, n := range s.names {
		out = append(out, "  Limit/"+n)
	}
	return append(out, "in "+s.dir())
}

// find tries the versions, one after the other. One that is not available is left out.
func (s *limitSearch) find(ctx context.Context) error {
	s.began = time.Now()
	for _, side := range s.Question.Plan.Sides {
		open := slices.DeleteFunc(slices.Clone(s.names), func(n string) bool { return s.known[[2]string{side.Name, n}] })
		s.done += len(s.names) - len(open)
		if len(open) == 0 {
			continue
		}
		if err := s.findOne(ctx, side.Name, open); err != nil {
			return err
		}
	}
	if s.done == 0 {
		return errors.New("none of the toolchains could be tried")
	}
	return nil
}

func (s *limitSearch) findOne(ctx context.Context, version string, names []string) error {
	tc, remove, err := s.fetch(ctx, version)
	defer remove()
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		s.leftOut("%s: %v", version, err)
		return s.save()
	}
	env, err := toolchain.Environ(nil)
	if err != nil {
		return err
	}
	return search.Find(ctx, search.Options{Go: tc, Names: names, Runner: s.Runner, Env: env, Dir: s.dir(), Memory: memory,
		Found: s.row, Log: func(what string) { s.Log.Step(what + s.left()) }})
}

// fetch finds a toolchain. One that has to be downloaded goes to a folder of its own,
// which remove removes, unless it is to be kept: 15 releases take 4 GB.
func (s *limitSearch) fetch(ctx context.Context, version string) (tc toolchain.Toolchain, remove func(), err error) {
	s.Log.Step("finding " + version)
	_, missing, err := s.Finder.Resolve(ctx, version)
	if err != nil || !missing || s.keep {
		if err == nil {
			tc, err = s.Finder.Find(ctx, version)
		}
		return tc, func() {}, err
	}
	dir, err := s.toolchainsDir(version)
	if err != nil {
		return tc, func() {}, err
	}
	finder := *s.Finder
	finder.Env = append(os.Environ(), "GOMODCACHE="+dir)
	tc, err = finder.Find(ctx, version)
	return tc, func() {
		if err := cache.Remove(dir); err != nil {
			s.Log.Note("warning: removing a toolchain: " + err.Error())
		}
		os.Remove(filepath.Dir(dir)) // fails while another one is in it
	}, err
}

// row keeps a row as soon as it is found.
func (s *limitSearch) row(r search.Row) error {
	s.done++
	s.tried++
	return s.record.keep([]*benchfmt.Result{r.Result()}, [2]string{"arm", r.Version})
}

// left returns how far the search has come.
func (s *limitSearch) left() string {
	total := len(s.names) * len(s.Question.Plan.Sides)
	text := fmt.Sprintf(" (%d of %d limits", s.done, total)
	if s.tried > 0 {
		text += timeLeft(s.began, float64(s.tried)/float64(total-s.done+s.tried))
	}
	return text + ")"
}

// toolchainsDir returns the part of the cache with the toolchains that limits downloads.
func (t *Tools) toolchainsDir(version string) (string, error) {
	return filepath.Abs(filepath.Join(t.Builder.CacheDir, "toolchains", version))
}
