package sample

import "memcost/internal/plan"

// harnessOf returns the harness for a kind of program: the one place that distinguishes
// kinds.
func harnessOf(k plan.Kind) harness {
	switch k {
	case plan.GoogleBenchmark:
		return googleBenchmark{}
	case plan.Program:
		return program{}
	}
	return goTest{}
}
