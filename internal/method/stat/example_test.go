package stat_test

import (
	"fmt"
	"math"

	"memcost/internal/method/stat"
)

// Twelve rounds of a comparison: B took about 3% longer than A in each.
var slower = []float64{0.031, 0.028, 0.034, 0.029, 0.033, 0.030, 0.027, 0.035, 0.030, 0.032, 0.029, 0.031}

func ExampleDecide() {
	cs := stat.ConfidenceSequence(slower, 0.05)
	fmt.Printf("B/A = %.3f, 95%%: %.3f to %.3f\n", math.Exp(stat.HodgesLehmann(slower)),
		math.Exp(cs.Lo), math.Exp(cs.Hi))
	margin := math.Log(1.01)
	fmt.Println("against ±1%:", stat.Decide(cs, -margin, margin))
	// Output:
	// B/A = 1.031, 95%: 1.029 to 1.034
	// against ±1%: outside
}

func ExampleMinRounds() {
	cs := stat.ConfidenceSequence(slower[:5], 0.05)
	fmt.Println(cs)
	fmt.Printf("only %d rounds: nothing can be decided at α = 0.05 before %d\n", len(slower[:5]), stat.MinRounds(0.05))
	// Output:
	// [-Inf, +Inf]
	// only 5 rounds: nothing can be decided at α = 0.05 before 8
}

// Looking after every round is what an e-process is for.
func ExampleEProcess() {
	process := stat.NewEProcess(0)
	for i, d := range slower {
		process.Add(d)
		if process.LogE() >= math.Log(1/0.05) {
			fmt.Println("a difference, after round", i+1)
			break
		}
	}
	// Output:
	// a difference, after round 8
}

// An exact metric needs no statistics, but a few rounds must agree.
func ExampleConfidenceSequence() {
	allocations := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	fmt.Println(stat.ConfidenceSequence(allocations[:7], 0.05))
	fmt.Println(stat.ConfidenceSequence(allocations, 0.05))
	// Output:
	// [-Inf, +Inf]
	// [1, 1]
}

func ExampleEBH() {
	selected, k := stat.EBH([]float64{math.Log(500), math.Log(2), math.Log(35)}, 0.05)
	fmt.Printf("%v, intervals at level %.3f\n", selected, 1-0.05*float64(k)/3)
	// Output:
	// [true false true], intervals at level 0.967
}
