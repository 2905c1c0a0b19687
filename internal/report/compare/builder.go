package compare

import (
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/result"
)

// A builder makes the report of a run.
type builder struct {
	*Report
	answer        *result.Answer
	alpha, margin float64
	looks         stat.Looks
	families      map[string]*family // by unit
	pairs         []caseSides        // parallel to Benchmarks
}

// caseSides are the samples of one case on all sides, nil where a side has none.
type caseSides []*series.Series

func (b *builder) metricOf(i int, unit string) *Metric { return b.Benchmarks[i].Metric(unit) }
