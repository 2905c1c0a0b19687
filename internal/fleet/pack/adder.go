package pack

import (
	"cmp"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
)

// An adder packs the samples of one run.
type adder struct {
	w      *Writer
	run    Run
	id     ID
	number int64
	held   []*benchfmt.Result // of the round at hand
	round  float64
}

// hold keeps a sample until its round is over: the last one of an attempt that was interrupted may not
// be complete.
func (a *adder) hold(s *benchfmt.Result) error {
	round, _ := s.Value(series.UnitRound)
	if len(a.held) > 0 && round != a.round {
		if err := a.release(true); err != nil {
			return err
		}
	}
	a.round = round
	a.held = append(a.held, s.Clone())
	return nil
}

// release packs what is held.
func (a *adder) release(complete bool) error {
	a.id.Complete = complete
	for _, s := range a.held {
		if err := a.sample(s); err != nil {
			return err
		}
	}
	a.held, a.id.Complete = a.held[:0], true
	return nil
}

func (a *adder) sample(s *benchfmt.Result) error {
	study := cmp.Or(s.GetConfig(series.KeySuite), s.GetConfig(series.KeyPkg), "none")
	of := a.w.studies[study]
	if of == nil {
		of = a.w.study(study)
	}
	a.id.Number = a.number
	a.number++
	return of.Add(a.id, s)
}
