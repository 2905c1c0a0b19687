package latency

import (
	"strings"
)

// Rule returns the condition under which a setting is called fit.
func (r *RealTime) Rule() string {
	return "no page fault, and no call longer than " + r.Limit.String() + " by the allocator's doing"
}

// Notes says, in sentences, what the situations are and what the verdicts do not cover.
func (r *RealTime) Notes() []string {
	var each []string
	for _, s := range r.Situations {
		each = append(each, s.Name+": "+s.Says)
	}
	var named []string
	for _, f := range r.Settings {
		if f.Sets != "" {
			named = append(named, f.Setting+" is "+f.Sets)
		}
	}
	notes := []string{"Situations: " + strings.Join(each, "; ") + "."}
	if len(named) > 0 {
		notes = append(notes, "Settings: "+strings.Join(named, "; ")+".")
	}
	return append(notes,
		"Other sizes, more threads and a larger live set were not tried, and the longest call is the longest one "+
			"observed; it is no upper bound.")
}
