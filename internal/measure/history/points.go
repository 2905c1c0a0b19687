package history

import (
	"cmp"
	"context"
	"fmt"
	"go/version"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

// OfCommits returns the state of a search through a range of commits of the repository of a folder.
func OfCommits(ctx context.Context, t *session.Tools, spec string, o session.Options, dir string) (*SearchState, error) {
	repo, err := source.Open(ctx, t.Runner, t.Env, dir)
	if err != nil {
		return nil, err
	}
	commits, err := repo.Range(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("--each: %w", err)
	}
	return New(Commits, SearchCommits(commits), o, dir, time.Now()), nil
}

// OfReleases returns the state of a search through releases of Go, as --go lists them.
func OfReleases(ctx context.Context, t *session.Tools, spec string, o session.Options, dir string) (*SearchState, error) {
	if err := source.Check(spec); err != nil {
		return nil, err
	}
	list, err := source.Expand(ctx, t.Finder, spec)
	if err != nil {
		return nil, err
	}
	for i, v := range list {
		if list[i], _, err = t.Finder.Resolve(ctx, v); err != nil {
			return nil, fmt.Errorf("--go %s: %w", v, err)
		}
	}
	points := SearchReleases(list)
	if len(points) < 2 {
		return nil, hint.Usage("for example --go 1.24,1.25,1.26",
			"--go %s is one release, and a comparison needs two", spec)
	}
	return New(Releases, points, o, dir, time.Now()), nil
}

// Plan says in lines how the search begins.
func (s *SearchState) Plan() []string {
	out := []string{fmt.Sprintf("%d %s, from %s to %s", len(s.Points), s.Kind, s.Points[0].Name,
		s.Points[len(s.Points)-1].Name)}
	search := s.Search()
	var steps []Step
	for {
		step, more := search.Next(steps)
		if !more {
			break
		}
		out = append(out, fmt.Sprintf("step %d: %s", len(steps)+1, strings.Join(s.names(step.Points), ", ")))
		step.Done = true
		steps = append(steps, step)
	}
	if most := search.Tests() - 1; most > 0 {
		out = append(out, fmt.Sprintf("then %s for each commit that changed something", units.Plural(most, "step")))
	}
	return out
}

func (s *SearchState) names(points []int) []string {
	var out []string
	for _, at := range points {
		out = append(out, s.Points[at].Name)
	}
	return out
}

// leastDigits is how many digits of a commit name it at least.
const leastDigits = 7

// Commits returns the points of a range of commits, each called by as many digits as tell them
// apart.
func SearchCommits(steps []source.Step) []Point {
	digits := leastDigits
	for seen := map[string]bool{}; digits < 40; digits++ {
		clear(seen)
		for _, s := range steps {
			seen[s.Hash[:min(digits, len(s.Hash))]] = true
		}
		if len(seen) == len(steps) {
			break
		}
	}
	var out []Point
	for _, s := range steps {
		out = append(out, Point{Name: s.Hash[:min(digits, len(s.Hash))], Merge: s.Merge, Source: &plan.Source{
			Revision: s.Hash, Commit: s.Hash, Subject: s.Subject, Date: s.Date}})
	}
	return out
}

// Releases returns the points of releases of Go, the oldest first.
func SearchReleases(toolchains []string) []Point {
	toolchains = slices.Clone(toolchains)
	slices.SortFunc(toolchains, func(a, b string) int { return cmp.Or(version.Compare(a, b), cmp.Compare(a, b)) })
	var out []Point
	for _, t := range slices.Compact(toolchains) {
		out = append(out, Point{Name: t})
	}
	return out
}
