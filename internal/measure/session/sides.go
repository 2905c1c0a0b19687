package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// sides turns the sides of a comparison into configurations, and gives each its files.
func (c *choice) sides(ctx context.Context) error {
	q, o := c.Question, c.options
	q.Comparison = &plan.Comparison{TestArgs: o.TestArgs}
	c.sources = source.New(c.place(), q.Dir)
	names, found := source.Names(o.Sides), map[string]toolchain.Toolchain{}
	for i, s := range o.Sides {
		c.Log.Step("finding the files and the toolchain of " + names[i])
		flags, err := source.Absolute(q.Dir, slices.Concat(o.common(), s.Flags))
		if err != nil {
			return err
		}
		tc, ok := found[s.Go]
		if !ok {
			if tc, err = c.find(ctx, cmp.Or(strings.TrimPrefix(s.Go, "go"), "local")); err != nil {
				return &source.Error{Name: names[i], Err: err}
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
		x.Show = &language.Show{}
		x.Directives = slices.DeleteFunc(slices.Clone(x.Directives), func(d language.Directive) bool {
			return d.Verb == "claim" || d.Verb == "more"
		})
		one, on := plan.OneSided{Suite: x.Name}, []int{}
		for _, a := range all {
			if _, has := c.packageOn(a, x.Name); has || x.Shipped {
				on, one.On = append(on, a), append(one.On, p.Arms[a].Name)
			}
		}
		if len(on) < len(all) {
			x.Arms = on
			c.Question.Comparison.AddOneSided([]plan.OneSided{one})
		}
		if runComparable(on, all) {
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
