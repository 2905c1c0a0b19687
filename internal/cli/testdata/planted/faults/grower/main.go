// Command grower does n operations, and with -grow each takes longer than the one before.
package main

import (
	"flag"
	"fmt"
	"time"
)

func main() {
	name, n, grow := flag.String("name", "", ""), flag.Int("n", 1, ""), flag.Bool("grow", false, "")
	flag.Parse()
	sum := 0
	began, busy := time.Now(), cpu()
	for i := 0; i < *n; i++ {
		work := 1000
		if *grow {
			work = i
		}
		for j := 0; j < work; j++ {
			sum += j ^ i
		}
	}
	took := time.Since(began)
	fmt.Printf("Benchmark%s %d %.3f ns/op %.12f cpu-sec/op %d sum\n", *name, *n,
		float64(took.Nanoseconds())/float64(*n), (cpu()-busy)/float64(*n), sum&1)
}
