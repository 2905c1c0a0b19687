package result

import (
	"fmt"

	"memcost/internal/report/figures"
)

// A CPU holds what the CPU time says of a ratio of times. Time that the collector spends on
// another core is in it, and not in the time that a benchmark takes.
type CPU struct {
	Ratio figures.Figure `json:"ratio"`
	Num   figures.Figure `json:"numerator"` // per op
	Den   figures.Figure `json:"denominator"`
	// Elsewhere reports that the side that allocates uses much more CPU time than its time shows.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// beside returns the ratio of CPU times as it stands beside that of times.
func (x *CPU) beside() string {
	if x == nil {
		return ""
	}
	return "CPU " + x.Ratio.String()
}

// sentence continues a sentence on a ratio of times: ", and 9.7 [9.1, 10.2] times in CPU time (3.4 µs
// against 350 ns): the collector works on another core".
func (x *CPU) sentence(where string) string {
	say := fmt.Sprintf(", and %s times in CPU time%s (%s against %s)", x.Ratio.Times(), where,
		x.Num.Quantity(), x.Den.Quantity())
	if x.Elsewhere {
		say += ": the collector works on another core"
	}
	return say
}
