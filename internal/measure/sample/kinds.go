package sample

import "memcost/internal/measure/plan"

// harnessOf is the one place where kinds of programs are told apart.
func harnessOf(k plan.Kind) harness {
	switch k {
	case plan.GoogleBenchmark:
		return googleBenchmark{}
	case plan.GoogleTimed, plan.GoogleCounted:
		return builtGoogle{counted: k == plan.GoogleCounted}
	case plan.Program:
		return program{}
	case plan.Command:
		return commandLine{}
	}
	return goTest{}
}
