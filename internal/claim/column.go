package claim

import (
	"math"

	"memcost/internal/catalog"
	"memcost/internal/stat"
)

// Column calls fn with each figure of a table's column: the value of the key by,
// the estimate and its interval in base units, the rounds, and a note where the
// figure does not count. Cells without a figure are left out.
func (d *Data) Column(col catalog.Column, by string, fn func(label string, value float64, iv stat.Interval, n int, note string)) {
	num, badNum := d.pick(col.Num)
	for _, c := range badNum {
		if v, ok := keys(c)(by); ok {
			fn(v, math.NaN(), stat.Whole(), 0, "INVALID")
		}
	}
	unit := col.Unit
	if col.PerKey != "" {
		unit = "sec/op"
	}
	if col.Den.IsZero() {
		for _, c := range num {
			v, ok := keys(c)(by)
			if !ok || !d.has(c, unit) {
				continue
			}
			if Exact(unit) {
				fn(v, stat.Median(d.values(c, unit)), stat.Whole(), len(d.values(c, unit)), "")
				continue
			}
			logs, err := d.logs(c, unit, col.PerKey)
			if err != nil {
				continue
			}
			value, iv, n := d.estimate(logs)
			fn(v, value, iv, n, "")
		}
		return
	}
	den, _ := d.pick(col.Den)
	pairs, err := Match(d.only(num, unit), d.only(den, unit), []string{by})
	if err != nil {
		return
	}
	for _, p := range pairs {
		v, _ := keys(p.Num)(by)
		value, iv, n := d.EstimateRatio(p.Num, p.Den, unit)
		fn(v, value, iv, n, "")
	}
}
