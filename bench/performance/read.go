package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/proc"
	"memcost/internal/measure/store"
	"memcost/internal/method/stat"
)

// A reading holds the resources that one program used to read the samples and print its
// answer.
type reading struct {
	walls, cpus, peaks []float64
	// atMost: some peak was below memcost's own, which the kernel then reports instead.
	atMost bool
}

func (r *reading) add(res proc.Result) {
	_, ok := res.Usage.PeakRSS()
	r.atMost = r.atMost || !ok
	r.walls = append(r.walls, res.Wall.Seconds())
	r.cpus = append(r.cpus, (res.Usage.User + res.Usage.Sys).Seconds())
	r.peaks = append(r.peaks, float64(res.Usage.MaxRSS))
}

// million reads a run of a million samples with memcost and with benchstat, alternating,
// and with benchstat restricted to sec/op: of the 24 units of a sample, memcost keeps
// the values of a few and the totals of the others.
func (b *bench) million(ctx context.Context) error {
	cases := madeCases()
	rounds := b.times(16_667, 10)
	dir := filepath.Join(b.dir, "million")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	b.logf("read: writing %s samples to %s", thousands(rounds*len(cases)), dir)
	if err := writeRun(dir, cases, rounds); err != nil {
		return err
	}
	benchstat, err := b.benchstat(ctx)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, store.SamplesFile)
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	programs := []proc.Cmd{
		{Path: b.memcost, Args: []string{"report", "--format", "text", dir}},
		{Path: benchstat, Args: []string{file}},
		{Path: benchstat, Args: []string{"-filter", ".unit:sec/op", file}},
		{Path: b.memcost, Args: []string{"report", dir, "-o", filepath.Join(dir, "page.html")}},
	}
	readings, err := b.inTurns(ctx, programs, b.times(5, 3))
	if err != nil {
		return err
	}
	b.printf("### Reading a long run again\n\n")
	b.commands("memcost report --format text DIR", "benchstat DIR/samples.txt",
		"benchstat -filter .unit:sec/op DIR/samples.txt", "memcost report DIR -o page.html")
	b.printf("A made-up run of the study stackheap: %s samples (%d cases, %s rounds), %s, from the page cache; %d "+
		"readings by each in turns.\n\n",
		thousands(rounds*len(cases)), len(cases), thousands(rounds), size(float64(info.Size())), len(readings[0].walls))
	b.printf("%s\n", readingTable([]string{"memcost report, text", "benchstat", "benchstat, sec/op only",
		"memcost report, page"}, readings))
	return os.RemoveAll(dir)
}

// inTurns runs the programs so many times, each time in another order, after
// once without counting.
func (b *bench) inTurns(ctx context.Context, programs []proc.Cmd, times int) ([]reading, error) {
	readings := make([]reading, len(programs))
	for turn := range 1 + times {
		var words []string
		for i := range programs {
			p := (i + turn) % len(programs)
			if turn%2 == 1 {
				p = len(programs) - 1 - p
			}
			c := programs[p]
			c.Limit = 64 << 20
			res, err := b.do(ctx, c)
			if err != nil {
				return nil, err
			}
			words = append(words, fmt.Sprintf("%s %s", filepath.Base(c.Path), seconds(res.Wall.Seconds())))
			if turn > 0 {
				readings[p].add(res)
			}
		}
		b.logf("read: %d/%d %s", turn, times, strings.Join(words, ", "))
	}
	return readings, nil
}

const peakMemory = "peak memory"

// readingTable returns a table of each program's medians, and the ratio of the first to
// it, by repetition.
func readingTable(names []string, readings []reading) string {
	rows := [][]string{append([]string{"median of the readings"}, names...)}
	for _, m := range []struct {
		name string
		of   func(reading) []float64
		show func(float64) string
	}{
		{"wall time", func(r reading) []float64 { return r.walls }, seconds},
		{"CPU time", func(r reading) []float64 { return r.cpus }, seconds},
		{peakMemory, func(r reading) []float64 { return r.peaks }, size},
	} {
		values, ratios := []string{m.name}, []string{m.name + ", memcost over it: median (least to most)"}
		for i, r := range readings {
			value := m.show(stat.Median(m.of(r)))
			if r.atMost && m.name == peakMemory {
				value = "at most " + value
			}
			values = append(values, value)
			if i == 0 {
				ratios = append(ratios, "")
				continue
			}
			q := ratiosOf(m.of(readings[0]), m.of(r))
			ratios = append(ratios, fmt.Sprintf("%s (%s to %s)", digits(stat.Median(q)), digits(slices.Min(q)),
				digits(slices.Max(q))))
		}
		rows = append(rows, values, ratios)
	}
	return table(rows)
}

func ratiosOf(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range a {
		q[i] = a[i] / b[i]
	}
	return q
}
