package sample

import "memcost/internal/measure/plan"

// guess returns the processor's time for an iteration of the same case in other variants, in
// seconds: of several the longest, for what a try of too few iterations costs is little.
func (l *Executor) guess(c plan.Case) (float64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sec, ok := l.costs[c.Call]
	return sec, ok
}

// found keeps what was found of a case.
func (l *Executor) found(c plan.Case, sec float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.costs == nil {
		l.costs = map[string]float64{}
	}
	l.costs[c.Call] = max(l.costs[c.Call], sec)
}
