package result

import (
	"golang.org/x/perf/benchfmt"

	"memcost/internal/malloc/latency"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/study/language"
)

// readRecords computes the answer of a run folder whose figures were found one by
// one (plan.Question.Recorded). They are judged as they stand: what is found by
// trying is a limit or a count, and no sample of anything.
func readRecords(src store.Source, studies []claim.Study, o Options) (*Answer, error) {
	q, dir := src.Question, src.Name
	o.Studies = func(name string) *language.Study {
		for _, s := range studies {
			if s.Name == name {
				return s.Written
			}
		}
		return nil
	}
	f := &file{base: q.Plan.Studies[0].Name, options: o, mixed: map[string]bool{}, Answer: answerOf(q, dir, Records)}
	limit, settings := q.RealTimeLimit()
	judge := latency.NewJudge(limit, settings, q.Search)
	damage, err := src.Samples(func(r *benchfmt.Result) error {
		judge.Add(r)
		return f.add(r)
	})
	if err != nil {
		return nil, err
	}
	if limit > 0 {
		f.RealTime = judge.Verdict()
	}
	for _, w := range damage {
		f.warn("%v", w)
	}
	for _, p := range f.parts {
		f.Studies = append(f.Studies, f.study(p))
	}
	if f.Samples == 0 {
		f.warn("nothing was found yet; go on with: memcost %s --resume %s", q.Recorded, dir)
	}
	return f.Answer, nil
}
