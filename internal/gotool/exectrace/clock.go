package exectrace

import (
	"fmt"
	"time"

	"golang.org/x/exp/trace"
)

// clock is the time in the trace.
type clock struct {
	begun      bool
	start, now trace.Time
	sync       trace.Time // when the generation began
}

// at is a moment of the trace as time since its start.
func (c *clock) at(t trace.Time) time.Duration { return t.Sub(c.start) }

// longestSpan is three days. No trace is as long; sums of a thousand times as
// much are still numbers.
const longestSpan = 1 << 48

// begin sets the clock to the time of the first event.
func (c *clock) begin(t trace.Time) {
	c.begun = true
	c.now, c.start, c.sync = t, t, t
}

// advance sets the clock to the time of an event. The error is a time that cannot be.
func (c *clock) advance(t trace.Time) error {
	if t < c.now || uint64(t)-uint64(c.start) > longestSpan {
		return fmt.Errorf("the time goes from %d to %d ns", c.now, t)
	}
	c.now = t
	return nil
}
