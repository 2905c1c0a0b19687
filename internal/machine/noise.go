package machine

// Probe is the result of a noise measurement.
type Probe struct {
	Seconds float64 `json:"seconds"` // wall time it took
	CPU     Unit    `json:"cpu"`     // a chain of arithmetic in registers
	Memory  Unit    `json:"memory"`  // a copy through a buffer larger than any L2 cache

	// CPUs' worth of time per second of wall time: 0.3 is 30% of one CPU. nil where the
	// machine does not report it. Both come from ticks of 10 ms, so over a second a few
	// hundredths mean nothing.
	StealShare   *float64 `json:"stealShare"`   // spent by the hypervisor on others
	ForeignShare *float64 `json:"foreignShare"` // spent by other processes

	TimerResolutionSeconds float64 `json:"timerResolutionSeconds"` // smallest step seen of time.Now
	TimerCostSeconds       float64 `json:"timerCostSeconds"`       // of one time.Now
}

// Unit holds how evenly one fixed piece of work was done.
type Unit struct {
	Count             int     `json:"count"`
	MedianSeconds     float64 `json:"medianSeconds"`
	Spread            float64 `json:"spread"`            // (p95 − p5) / median
	Slow10Share       float64 `json:"slow10Share"`       // share of units slower than 1.1 × median
	Slow50Share       float64 `json:"slow50Share"`       // share of units slower than 1.5 × median
	LongestGapSeconds float64 `json:"longestGapSeconds"` // slowest unit less the median: the longest interruption
	// lag-1 autocorrelation of the ranks, −1 to 1: noise that comes in stretches
	Lag1 float64 `json:"lag1"`
}
