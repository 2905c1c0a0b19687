package remedy

import (
	"cmp"
	"maps"
	"slices"

	"memcost/internal/sites"
)

// mostClasses is how many size classes are asked for; the others are priced by their neighbours.
const mostClasses = 10

// Needs returns the size classes and the causes whose prices Gains needs for some sites: those
// that most of the objects are of, with the smallest and the largest, in order.
func Needs(of []sites.Site) (classes []int64, causes []string) {
	weights, keys := map[int64]float64{}, map[string]bool{}
	for _, s := range of {
		if len(s.Costs) == 0 || s.Class == sites.NeverExecuted {
			continue
		}
		for _, c := range s.Sizes {
			weights[c.Bytes] += c.Objects
		}
		if s.Cause.Key != "" && s.Callee == nil {
			keys[s.Cause.Key] = true
		}
	}
	all := slices.Sorted(maps.Keys(weights))
	if len(all) > mostClasses {
		ends := []int64{all[0], all[len(all)-1]}
		all = all[1 : len(all)-1]
		slices.SortStableFunc(all, func(a, b int64) int { return cmp.Compare(weights[b], weights[a]) })
		all = append(all[:mostClasses-len(ends)], ends...)
		slices.Sort(all)
	}
	return all, slices.Sorted(maps.Keys(keys))
}
