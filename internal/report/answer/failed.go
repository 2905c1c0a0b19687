package answer

import (
	"memcost/internal/base/units"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// failed says how many cases ended without a figure, and of what most of them died: nothing else
// in the answer tells that they are missing. nil where none did.
func (x *computing) failed() Sentence {
	all, most := 0, result.Cause{}
	for _, s := range x.subjects {
		if s.run != 0 {
			continue
		}
		for _, c := range s.Causes(false) {
			if c.Kind != result.Failed {
				continue
			}
			if all += c.Count; c.Count > most.Count {
				most = c
			}
		}
	}
	if all == 0 {
		return nil
	}
	says := units.Plural(all, "case") + " failed"
	if most.Count < all {
		return language.Plain(says + ", " + most.Case + " among them: " + most.Why + ".")
	}
	return language.Plain(says + ": " + most.Case + ": " + most.Why + ".")
}
