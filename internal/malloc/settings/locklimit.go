package settings

import (
	"slices"
	"strconv"

	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// LockLimit says what a limit of locked memory does to the settings that lock all memory, "" where
// there is no limit or none of them does. Without cases, each setting counts; else those that have
// one.
func LockLimit(m machine.Fingerprint, all []language.Variant, cases []plan.Case) string {
	const lock = "-L"
	limit, err := strconv.ParseInt(m.Limits["memlock"], 10, 64)
	if err != nil || m.MayLock {
		return ""
	}
	locks := slices.ContainsFunc(all, func(v language.Variant) bool { return slices.Contains(v.Args, lock) })
	if len(cases) > 0 {
		locks = slices.ContainsFunc(cases, func(c plan.Case) bool { return slices.Contains(c.Args, lock) })
	}
	if !locks {
		return ""
	}
	return "RLIMIT_MEMLOCK is " + units.Bytes(limit) + ": under mlockall those cases are measured that fit, and of " +
		"the others each says by how much it does not; to measure all: " + machine.MoreLocked
}
