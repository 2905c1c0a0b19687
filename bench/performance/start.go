package main

import (
	"context"
	"fmt"
	"os"

	"memcost/internal/base/proc"
	"memcost/internal/method/stat"
)

// start times memcost list from its start to its end: reading the embedded
// studies and the published figures, and printing them. Who starts a program has
// fetched it, so its size stands beside the time.
func (b *bench) start(ctx context.Context) error {
	const warmUp = 5
	n := b.times(50, 5)
	b.logf("start: %d times memcost list", n)
	var walls, peaks []float64
	floor := int64(0)
	for i := range warmUp + n {
		res, err := b.do(ctx, proc.Cmd{Path: b.memcost, Args: []string{"list"}})
		if err != nil {
			return err
		}
		if i < warmUp {
			continue
		}
		walls = append(walls, res.Wall.Seconds())
		if rss, ok := res.Usage.PeakRSS(); ok {
			peaks = append(peaks, float64(rss))
		} else {
			floor = max(floor, res.Usage.MaxRSSFloor)
		}
	}
	program, err := os.Stat(b.memcost)
	if err != nil {
		return fmt.Errorf("reading the size of memcost: %w", err)
	}
	b.printf("### Start\n\n")
	b.commands("memcost list")
	lo, hi := spread(walls)
	b.printf("%s", table([][]string{
		{"whole process", "median of " + thousands(n), "least", "most", "to reach"},
		{"time", seconds(stat.Median(walls)), seconds(lo), seconds(hi), "under 30 ms"},
		peakRow(peaks, floor),
		{"size of the program", size(float64(program.Size())), "", "", "under 33.4 MiB"},
	}))
	return nil
}

// peakRow returns the row of the peak resident set. The kernel cannot report a peak
// below that of the process which started it, the floor.
func peakRow(peaks []float64, floor int64) []string {
	if len(peaks) == 0 {
		most := "?"
		if floor > 0 {
			most = "at most " + size(float64(floor))
		}
		return []string{"peak memory", most, "", "", ""}
	}
	lo, hi := spread(peaks)
	return []string{"peak memory", size(stat.Median(peaks)), size(lo), size(hi), ""}
}
