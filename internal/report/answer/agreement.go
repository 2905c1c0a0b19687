package answer

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// agreement says on how many machines a claim has the verdict that it has here, and names the
// exceptions; "" of one run. The figures of an answer are those of here, which the front names.
func (x *computing) agreement(s subject, id string, here *result.Verdict) string {
	runs := []int{0}
	var others []string
	for run := 1; run < len(x.answers); run++ {
		for i := range x.answers[run].Studies {
			o := &x.answers[run].Studies[i]
			v := verdict(judged(o, id))
			if o.Name != s.Name || v == nil {
				continue
			}
			if runs = append(runs, run); v.Status != here.Status {
				others = append(others, x.names[run]+" ("+string(v.Status)+")")
			}
		}
	}
	in, kind := x.kind(runs)
	switch n := len(runs); {
	case n == 1:
		return ""
	case len(others) == 0 && n == 2:
		return fmt.Sprintf("%s both %s claim %s %s.", figures.Upper(in), kind, id, here.Status)
	case len(others) == 0:
		return fmt.Sprintf("%s all %d %s claim %s %s.", figures.Upper(in), n, kind, id, here.Status)
	case n == 2:
		return fmt.Sprintf("Claim %s %s %s %s, and not %s %s.", id, here.Status, in, x.names[0], in, others[0])
	default:
		return fmt.Sprintf("%s %d of %d %s claim %s %s; not %s %s.", figures.Upper(in), n-len(others), n, kind, id, here.Status,
			in, several(others))
	}
}

// kind returns what runs differ by, "machines" where no two are of one machine, else "runs", and
// the word that stands before it.
func (x *computing) kind(runs []int) (in, kind string) {
	var names []string
	for _, run := range runs {
		m := x.answers[run].Machine
		name := fmt.Sprint(m.Hostname, "/", m.CPUModel, "/", m.CPUs, "/", m.MemoryBytes)
		if slices.Contains(names, name) {
			return "in", "runs"
		}
		names = append(names, name)
	}
	return "on", "machines"
}

// several lists the first of many.
func several(all []string) string {
	const most = 3
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:most], ", ") + " and " + units.Plural(len(all)-most, "other")
}
