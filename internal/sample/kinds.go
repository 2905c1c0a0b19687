package sample

import "memcost/internal/plan"

// harnessOf is the one place where kinds of programs are told apart.
func harnessOf(k plan.Kind) harness {
	switch k {
	case plan.GoogleBenchmark:
		return googleBenchmark{}
	case plan.GoogleTimed:
		return builtGoogle{}
	case plan.GoogleCounted:
		return builtGoogle{counted: true}
	case plan.Program:
		return program{}
	case plan.Command:
		return commandLine{}
	}
	return goTest{}
}
