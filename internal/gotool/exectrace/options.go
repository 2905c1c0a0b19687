package exectrace

import "time"

// Options say how much is kept. The zero value is good for a terminal or a page.
type Options struct {
	Groups    int             // goroutine groups told apart; 0 is 10
	Intervals int             // of each kind in the timeline, and cycles; 0 is 1000
	Points    int             // of the heap's size over time, about; 0 is 1000
	Windows   []time.Duration // of the minimum mutator utilization; nil is 1, 10 and 100 ms
}

func (o Options) withDefaults() Options {
	if o.Groups == 0 {
		o.Groups = 10
	}
	if o.Intervals == 0 {
		o.Intervals = 1000
	}
	if o.Points == 0 {
		o.Points = 1000
	}
	if o.Windows == nil {
		o.Windows = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond}
	}
	return o
}
