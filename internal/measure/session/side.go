package session

// A side is what the samples say of one arm.
type side struct {
	name    string
	samples int
	failed  []string // reasons
	sec     float64  // of all samples
	memory  int      // samples with a peak of memory
	output  map[output]bool
}

// output is what a command prints.
type output struct{ size, hash float64 }
