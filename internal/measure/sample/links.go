package sample

import (
	"context"
	"math"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// links is what a run knows of the links that its studies have drawn.
type links struct {
	studies map[int]*drawn
	sec     float64 // what the links that were made took
	made    int
	fresh   float64 // seconds of sec that no sample has recorded yet
}

// drawn are the links of one study.
type drawn struct {
	used    []int   // rounds that each was run in
	round   int     // the last round in which one was run
	link    int     // and which that was
	perLink float64 // how many rounds shall share one
}

// of returns the links of a study.
func (l *links) of(study int) *drawn {
	if l.studies == nil {
		l.studies = map[int]*drawn{}
	}
	if l.studies[study] == nil {
		l.studies[study] = &drawn{round: -1, link: -1}
	}
	return l.studies[study]
}

// ran notes which link a study ran in a round.
func (d *drawn) ran(round, link int) {
	if round <= d.round {
		return
	}
	for len(d.used) <= link {
		d.used = append(d.used, 0)
	}
	d.used[link]++
	d.round, d.link = round, link
}

// usualLink is what a link takes where none was made yet, in seconds.
const usualLink = float64(plan.LinkTime) / float64(time.Second)

// each returns what a link takes, in seconds.
func (l *links) each() float64 {
	if l.made == 0 || l.sec == 0 {
		return usualLink
	}
	return l.sec / float64(l.made)
}

// drawsLinks reports whether further links of a study can be made.
func (e *Engine) drawsLinks(study int) bool {
	return e.Executor != nil && e.Executor.Draws != nil && e.Executor.Draws(study)
}

// drawn returns which link each study runs in a round: that of the samples of the round which
// are there already, or the one that the plan draws for it.
func (e *Engine) drawn(round int) func(study int) int {
	out := map[int]int{}
	for _, r := range e.pending {
		if study, at, link, ok := e.linkIn(r); ok && at == round {
			out[study] = link
		}
	}
	return func(study int) int {
		link, ok := out[study]
		if !ok && e.drawsLinks(study) {
			d := e.links.of(study)
			link = e.Plan.NextLink(study, round, d.used, d.link, max(d.perLink, 1))
		}
		out[study] = link
		return link
	}
}

// linkIn returns the link that a sample ran, with its study and round.
func (e *Engine) linkIn(r *benchfmt.Result) (study, round, link int, ok bool) {
	at, known := r.Value(series.UnitRound)
	layout, has := r.Value(series.UnitLayout)
	name := r.GetConfig(series.KeyStudy)
	study = slices.IndexFunc(e.Plan.Studies, func(s plan.Study) bool { return s.Name == name })
	return study, int(at), plan.LinkOf(int(layout)), known && has && study >= 0
}

// ready makes the links that a round needs and that are not made yet.
func (e *Engine) ready(ctx context.Context, tasks []plan.Task) error {
	for _, t := range tasks {
		e.links.of(e.Plan.Cases[t.Case].Study).ran(t.Round, plan.LinkOf(t.Layout))
	}
	if e.Executor.Ready == nil {
		return nil
	}
	made, took, err := e.Executor.Ready(ctx, tasks)
	e.links.made += made
	e.links.sec += took.Seconds()
	e.links.fresh += took.Seconds()
	return err
}

// recordLinks puts what it took to make links into the first sample behind it: the budget counts it, also that of
// a run that is gone on with.
func (e *Engine) recordLinks(rs []*benchfmt.Result) {
	if e.links.fresh > 0 && len(rs) > 0 {
		rs[0].Values = append(rs[0].Values, benchfmt.Value{Value: e.links.fresh, Unit: series.UnitLink})
		e.links.fresh = 0
	}
}

// chooseLinks finds out how many rounds of each study shall share a link, from what is still to be found out.
func (e *Engine) chooseLinks(o openState) {
	for study := range e.Plan.Studies {
		if !e.drawsLinks(study) {
			continue
		}
		round, copies, doubles := 0.0, map[int]bool{}, 0.0 // of a link: one of each binary, and of the second copy
		for at := range o.live {
			if e.Plan.Cases[at.c].Study != study {
				continue
			}
			round += e.sampleCost(at)
			copy := at.arm
			if e.Executor.LinkedAs != nil {
				copy = e.Executor.LinkedAs(study, at.arm)
			}
			copies[copy] = true
			if at.arm == e.Plan.SidesOf(study)[0] && slices.Contains(e.Plan.Doubles, at.c) {
				doubles = max(doubles, 1/float64(e.Plan.DoubleEvery(e.counted(at))))
			}
		}
		if round == 0 {
			continue
		}
		var open []stat.Rounds
		for _, q := range o.still {
			if e.Plan.Cases[q.cells[0].c].Study == study && o.live[q.cells[0]] {
				open = append(open, q.rests...)
			}
		}
		d := e.links.of(study)
		if d.perLink = math.Inf(1); len(open) > 0 || len(d.used) < plan.FirstLinks {
			d.perLink = max(1, stat.PerLink(e.links.each()*(float64(len(copies))+doubles)/round, open...))
		}
		e.Studies[study].PerLink = d.perLink
	}
}

// linkCost is what links add to a round of a cell, in seconds: all cases of a side share them.
func (e *Engine) linkCost(at cell) float64 {
	study := e.Plan.Cases[at.c].Study
	if !e.drawsLinks(study) {
		return 0
	}
	share := 0
	for other := range e.open.live {
		if other.arm == at.arm && e.Plan.Cases[other.c].Study == study {
			share++
		}
	}
	return e.links.each() / max(e.links.of(study).perLink, 1) / float64(max(share, 1))
}
