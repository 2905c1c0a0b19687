package certify

import (
	"slices"
	"time"

	"memcost/internal/measure/certificate"
	"memcost/internal/method/stat"
)

// A tally collects the outcomes of the batches.
type tally struct {
	conditions []string // of each batch
	outcomes   [][]outcome
	disturbed  []float64
	failed     int // samples without a result
}

func (t *tally) add(condition string, outcomes []outcome, disturbed float64) {
	t.conditions = append(t.conditions, condition)
	t.outcomes = append(t.outcomes, outcomes)
	t.disturbed = append(t.disturbed, disturbed)
}

// certificate returns what the outcomes amount to.
func (t *tally) certificate(a *Attempt, now time.Time) *certificate.Certificate {
	o := a.Options
	c := &certificate.Certificate{Format: certificate.Format, Method: a.Method, Tool: a.Tool,
		Made: now.UTC().Truncate(time.Second), Machine: a.Machine, Go: a.Go, Alpha: o.Alpha, Rounds: o.Rounds,
		Layouts: o.Layouts, Links: o.Links, Sample: o.Sample, Spent: a.Spent, Budget: o.Budget, Failed: t.failed}
	for _, name := range Conditions() {
		if u, ok := t.condition(name); ok {
			c.Under = append(c.Under, u)
		}
	}
	for _, x := range a.Cases {
		c.Cases = append(c.Cases, t.ofCase(x.Name))
	}
	c.Judge()
	return c
}

// condition sums up the batches under one condition; false when there are none.
func (t *tally) condition(name string) (u certificate.Condition, ok bool) {
	u.Name = name
	rounds, seconds := make([][]float64, len(Slowdowns())), make([][]float64, len(Slowdowns()))
	for _, by := range Slowdowns() {
		u.Known = append(u.Known, certificate.Slowdown{By: by})
	}
	batches := 0
	for i, all := range t.outcomes {
		if t.conditions[i] != name {
			continue
		}
		batches++
		u.Disturbed += t.disturbed[i]
		for _, x := range all {
			if x.arm == copied {
				x.countCopy(&u.Count)
				continue
			}
			k := x.arm - slower
			x.countKnown(&u.Known[k])
			if x.found {
				rounds[k], seconds[k] = append(rounds[k], float64(x.rounds)), append(seconds[k], x.seconds)
			}
		}
	}
	for k := range u.Known {
		if len(rounds[k]) > 0 {
			u.Known[k].Rounds, u.Known[k].Seconds = stat.Median(rounds[k]), stat.Median(seconds[k])
		}
	}
	u.Disturbed /= float64(max(batches, 1))
	return u, slices.Contains(t.conditions, name)
}

func (o outcome) countCopy(c *certificate.Count) {
	if o.undecided {
		c.Undecided++
		return
	}
	c.Comparisons++
	if o.found {
		c.Alarms++
	}
}

func (o outcome) countKnown(s *certificate.Slowdown) {
	if o.undecided {
		s.Undecided++
		return
	}
	s.Comparisons++
	for _, x := range []struct {
		is    bool
		count *int
	}{{o.found, &s.Found}, {o.covered, &s.Covered}, {o.last, &s.AtEnd}} {
		if x.is {
			*x.count++
		}
	}
}

// ofCase sums up one benchmark.
func (t *tally) ofCase(name string) certificate.Case {
	c := certificate.Case{Name: name}
	var known certificate.Slowdown
	for _, all := range t.outcomes {
		for _, x := range all {
			switch {
			case x.name != name:
			case x.arm == copied:
				x.countCopy(&c.Count)
			default:
				x.countKnown(&known)
			}
		}
	}
	c.Known, c.Covered = known.Comparisons, known.Covered
	return c
}
