package stat_test

import (
	"fmt"
	"math"

	"memcost/internal/method/stat"
)

// Thirteen rounds of a comparison: B took about 3% longer than A in each.
var slower = []float64{0.031, 0.028, 0.034, 0.029, 0.033, 0.030, 0.027, 0.035, 0.030, 0.032, 0.029, 0.031, 0.030}

func ExampleDecide() {
	iv := stat.Looks{}.Interval(stat.Rounds{D: slower}, 0.05)
	fmt.Printf("B/A = %.3f, 95%%: %.3f to %.3f\n", math.Exp(stat.HodgesLehmann(slower)),
		math.Exp(iv.Lo), math.Exp(iv.Hi))
	margin := math.Log(1.01)
	fmt.Println("against ±1%:", stat.Decide(iv, -margin, margin))
	// Output:
	// B/A = 1.031, 95%: 1.029 to 1.034
	// against ±1%: outside
}

func ExampleLooks_At() {
	var looks stat.Looks
	fmt.Println("9 rounds stand where", looks.At(9), "did; the next look is at", looks.Next(9))
	fmt.Println(looks.Interval(stat.Rounds{D: slower[:7]}, 0.05))
	// Output:
	// 9 rounds stand where 8 did; the next look is at 10
	// [-Inf, +Inf]
}

// An exact metric needs no statistics, but a few rounds must agree.
func ExampleLooks_Interval() {
	allocations := []float64{1, 1, 1, 1, 1, 1, 1, 1}
	fmt.Println(stat.Looks{}.Interval(stat.Rounds{D: allocations}, 0.05))
	// Output:
	// [1, 1]
}

func ExampleDiscoveries() {
	selected, level := stat.Discoveries([]float64{0.001, 0.5, 0.01}, 0.05)
	fmt.Printf("%v, intervals at level %.3f\n", selected, 1-level)
	// Output:
	// [true false true], intervals at level 0.983
}
