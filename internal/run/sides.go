package run

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/catalog"
	"memcost/internal/hint"
	"memcost/internal/plan"
	"memcost/internal/side"
	"memcost/internal/sources"
	"memcost/internal/toolchain"
)

// sides turns the sides of a comparison into configurations, and gives each its files.
func (c *choice) sides(ctx context.Context) error {
	q, o := c.Question, c.options
	q.Comparison = &plan.Comparison{TestArgs: o.TestArgs}
	c.sources = sources.New(c.place(), q.Dir)
	names := side.Names(o.Sides)
	found := map[string]toolchain.Toolchain{}
	for i, s := range o.Sides {
		c.Log.Step("finding the files and the toolchain of " + names[i])
		flags, err := side.Absolute(q.Dir, slices.Concat(o.common(), s.Flags))
		if err != nil {
			return err
		}
		tc, ok := found[s.Go]
		if !ok {
			if tc, err = c.find(ctx, cmp.Or(strings.TrimPrefix(s.Go, "go"), "local")); err != nil {
				return &side.Error{Name: names[i], Err: err}
			}
			found[s.Go] = tc
		}
		folder := c.sources.WorkTree(ctx)
		if s.AtRevision() {
			if folder, err = c.sources.Revision(ctx, s.Revision); err != nil {
				return err
			}
		}
		c.folders, c.toolchains = append(c.folders, folder), append(c.toolchains, tc)
		q.Plan.Arms = append(q.Plan.Arms, plan.Arm{Name: names[i], Toolchain: tc.Version, Flags: flags, Env: s.Env,
			Source: folder.Source})
	}
	return nil
}

// place says where checkouts lie.
func (r *record) place() sources.Place {
	dir, err := filepath.Abs(r.Builder.CacheDir)
	if err != nil {
		dir = r.Builder.CacheDir
	}
	return sources.Place{Runner: r.Runner, Env: r.Env, Cache: dir, Note: r.Log.Note, Step: r.Log.Step}
}

// sourceTime bounds how long git may take to say what the user's files are, in a run that
// needs it for the record alone.
const sourceTime = 5 * time.Second

// recordSource notes the state of the user's files, where it can be known.
func (c *choice) recordSource(ctx context.Context) {
	if len(c.Question.Packages) == 0 {
		return
	}
	if c.sources != nil {
		if src := c.sources.WorkTree(ctx).Source; src != nil {
			here := *src
			here.Revision = ""
			c.Question.Source = &here
		}
		return
	}
	ctx, stop := context.WithTimeout(ctx, sourceTime)
	defer stop()
	silent := c.place()
	silent.Note = func(string) {}
	c.Question.Source = sources.Here(ctx, silent, c.Question.Dir)
}

// packagesOfSides looks up the packages of each side, and returns those of all of them.
func packagesOfSides(ctx context.Context, b *builds) (all []toolchain.Package, err error) {
	p := &b.Question.Plan
	b.packages, all, err = sources.Packages(ctx, b.Builder, p.Arms, b.folders, b.toolchains, b.Question.Packages,
		b.broken)
	return all, err
}

// ofSides keeps the packages that can be compared, each on the sides that have it, and notes
// the others. Claims are no question of a comparison.
func (c *choice) ofSides() error {
	if c.sources == nil {
		return nil
	}
	p := &c.Question.Plan
	var all []int
	for a := range p.Arms {
		all = append(all, a)
	}
	var kept []plan.Suite
	for _, x := range p.Suites {
		x.Show = &catalog.Show{}
		x.Directives = slices.DeleteFunc(slices.Clone(x.Directives), func(d catalog.Directive) bool {
			return d.Verb == "claim" || d.Verb == "more"
		})
		one := plan.OneSided{Suite: x.Name}
		on := []int{}
		for _, a := range all {
			if _, has := c.packageOn(a, x.Name); has || x.Shipped {
				on, one.On = append(on, a), append(one.On, p.Arms[a].Name)
			}
		}
		if len(on) < len(all) {
			x.Arms = on
			addOneSided(c.Question, []plan.OneSided{one})
		}
		if comparable(on, all) {
			kept = append(kept, x)
		}
	}
	if one := c.Question.Comparison.OneSided; len(kept) == 0 && len(one) > 0 {
		return hint.Usage("name packages that both sides have", "no package with benchmarks is on both sides: %s is "+
			"only on %s", one[0].Suite, strings.Join(one[0].On, ", "))
	}
	p.Suites = kept
	return nil
}

// addOneSided notes benchmarks, each once, that some sides do not have.
func addOneSided(q *plan.Question, more []plan.OneSided) {
	for _, x := range more {
		if !slices.ContainsFunc(q.Comparison.OneSided, func(o plan.OneSided) bool {
			return o.Suite == x.Suite && o.Name == x.Name
		}) {
			q.Comparison.OneSided = append(q.Comparison.OneSided, x)
		}
	}
}

// listOn returns the arms of a suite whose benchmarks need not be the same.
func listOn(r *Run, suite int) []int {
	var out []int
	seen := map[string]bool{}
	for _, a := range r.Question.Plan.ArmsOf(suite) {
		if key := sources.Key(r.Question.Plan.Arms[a], r.folders[a]); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out
}

// The time that a comparison takes at most, where the user names none: so much for each
// benchmark, and so much for all of them.
const (
	BudgetOfBenchmark  = time.Minute
	BudgetOfComparison = 30 * time.Minute
)

// sourcesAgain gives the sides of a recorded comparison the files that they had.
func sourcesAgain(ctx context.Context, b *builds) error {
	q := b.Question
	commands := func(a plan.Arm) bool { return a.Command != "" || a.Program != "" }
	if q.Comparison == nil || slices.ContainsFunc(q.Plan.Arms, commands) || q.Plan.Has(plan.GoogleBenchmark) {
		return nil
	}
	b.sources = sources.New(b.place(), q.Dir)
	for _, a := range q.Plan.Arms {
		f, err := b.sources.Again(ctx, a.Source)
		if err != nil {
			return fmt.Errorf("the side %s: %w", a.Name, err)
		}
		b.folders = append(b.folders, f)
	}
	return nil
}
