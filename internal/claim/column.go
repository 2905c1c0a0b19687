package claim

import (
	"memcost/internal/catalog"
	"memcost/internal/stat"
)

// Column calls fn with each figure of a table's column: the value of the key by,
// the estimate and its interval in base units, the rounds, and a note where the
// figure does not count. Cells without a figure are left out.
func (d *Data) Column(col catalog.Column, by string, fn func(label string, e Estimate, note string)) {
	num, badNum := d.pick(col.Num)
	for _, c := range badNum {
		if v, ok := keys(c)(by); ok {
			fn(v, d.estimate(nil), "INVALID")
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
				vs := d.values(c, unit)
				fn(v, Estimate{stat.Median(vs), stat.Median(vs), stat.Whole(), len(vs)}, "")
				continue
			}
			logs, err := d.logs(c, unit, col.PerKey)
			if err != nil {
				continue
			}
			fn(v, d.estimate(logs), "")
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
		fn(v, d.Ratio(p.Num, p.Den, unit), "")
	}
}
