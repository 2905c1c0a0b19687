// Command fleet packs samples of many machines that it makes up from those of a real run, and has memcost
// report on one study of them:
//
//	memcost run
//	go run ./bench/fleet -from results/… -samples 1e7 -machines 100 -o fleet.pack
//	go run ./bench/fleet -o fleet.pack
//
// The first makes a pack, the second has memcost report on one that is there: in a process of its own, for
// the kernel cannot tell a child's peak of memory from a higher one of the process that started it. Each prints
// what that took, in Markdown. The samples are never text: a hundred million of them would be
// 60 GB.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/fleet/pack"
)

// options are the flags.
type options struct {
	from, out, memcost, study string
	samples                   float64
	machines, kinds           int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	fs := flag.NewFlagSet("fleet", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.from, "from", "", "a run folder with the real samples")
	fs.StringVar(&o.out, "o", "", "the pack to make, or to report on")
	fs.StringVar(&o.memcost, "memcost", "bin/memcost", "the memcost that reports on it")
	fs.StringVar(&o.study, "study", "stackheap", "the study that it reports on")
	fs.Float64Var(&o.samples, "samples", 1e6, "how many samples")
	fs.IntVar(&o.machines, "machines", 10, "of how many machines")
	fs.IntVar(&o.kinds, "kinds", 3, "of how many kinds")
	if err := fs.Parse(args); err != nil {
		return flag.ErrHelp
	}
	if o.out == "" || o.from == "" && !pack.Is(o.out) || o.samples < 1 || o.machines < 1 || o.kinds < 1 {
		fs.Usage()
		return flag.ErrHelp
	}
	if pack.Is(o.out) {
		return sayReport(ctx, stdout, o)
	}
	p, err := readPattern(o.from)
	if err != nil {
		return err
	}
	text, err := textOf(p)
	if err != nil {
		return err
	}
	start := time.Now()
	x, err := makePack(ctx, p, o, stderr)
	if err != nil {
		return err
	}
	packed := time.Since(start)
	peak, err := peakMemory()
	if err != nil {
		return err
	}
	n := float64(x.Samples)
	fmt.Fprintf(stdout, "    go run ./bench/fleet -from RUN -samples %g -machines %d -kinds %d -o PACK\n\n", o.samples,
		o.machines, o.kinds)
	table(stdout, [][2]string{
		{"samples", fmt.Sprintf("%s of %d machines, in %d files", units.Thousands(x.Samples), len(x.Runs),
			len(x.Parts))},
		{"bytes a sample", fmt.Sprintf("%.0f as Parquet, %.0f as text", float64(x.Parquet)/n, text)},
		{"the pack", units.Bytes(float64(x.Parquet))},
		{"packing", fmt.Sprintf("%.0f s, %s samples a second, %s of memory at most", packed.Seconds(),
			units.Thousands(int(n/packed.Seconds())), peak)}})
	return nil
}

// sayReport prints what a report on one study of the pack takes.
func sayReport(ctx context.Context, w io.Writer, o options) error {
	x, err := pack.ReadIndex(o.out)
	if err != nil {
		return err
	}
	studied := int64(0)
	for _, part := range x.Parts {
		if part.Study == o.study {
			studied += part.Samples
		}
	}
	res, err := report(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "    memcost report PACK %s --json\n\n", o.study)
	table(w, [][2]string{
		{"samples of the study", fmt.Sprintf("%s of %s", units.Thousands(studied), units.Thousands(x.Samples))},
		{"time", fmt.Sprintf("%.1f s, %.1f s a million", res.Wall.Seconds(), res.Wall.Seconds()/float64(studied)*1e6)},
		{"memory", units.Bytes(float64(res.Usage.MaxRSS)) + " at most"}})
	return nil
}

func table(w io.Writer, rows [][2]string) {
	fmt.Fprintln(w, "| what | figure |\n|---|---|")
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %s |\n", r[0], r[1])
	}
	fmt.Fprintln(w)
}

// makePack packs made-up machines, kind by kind and month by month as memcost pack does.
func makePack(ctx context.Context, p *pattern, o options, log io.Writer) (*pack.Index, error) {
	w, err := pack.Create(o.out, "memcost bench", time.Now())
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	last := time.Now()
	for kind := range o.kinds {
		for number := kind; number < o.machines; number += o.kinds {
			src, err := p.machine(number, o.kinds, int(o.samples)/o.machines)
			if err != nil {
				return nil, err
			}
			if _, err := w.Add(ctx, src, 0); err != nil {
				return nil, err
			}
			if time.Since(last) > 10*time.Second {
				last = time.Now()
				fmt.Fprintf(log, "%s samples\n", units.Thousands(w.Index.Samples))
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &w.Index, nil
}

// textOf returns how many bytes a sample takes as text, by a machine with many samples.
func textOf(p *pattern) (float64, error) {
	const many = 50_000
	src, err := p.machine(0, 1, many)
	if err != nil {
		return 0, err
	}
	bytes, samples := counter(0), 0
	b := bufio.NewWriter(&bytes)
	w := benchfmt.NewWriter(b)
	_, err = src.Samples(func(r *benchfmt.Result) error { samples++; return w.Write(r) })
	return float64(bytes) / float64(samples), errors.Join(err, b.Flush())
}

// A counter counts what is written.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// report has memcost report on the study, without looking at what it says.
func report(ctx context.Context, o options) (proc.Result, error) {
	res, err := (&proc.Runner{}).Run(ctx, proc.Cmd{Path: o.memcost, Args: []string{"report", o.out, o.study, "--json"},
		ReadStdout: func(r io.Reader) { io.Copy(io.Discard, r) }})
	if err == nil {
		err = res.Err("memcost report " + o.out + " " + o.study)
	}
	return res, err
}

// peakMemory returns the most memory that this process had, in words.
func peakMemory() (string, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", fmt.Errorf("reading this process's memory: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		if peak, is := strings.CutPrefix(line, "VmHWM:"); is {
			return strings.TrimSpace(peak), nil
		}
	}
	return "", errors.New("the kernel does not say how much memory this process had")
}
