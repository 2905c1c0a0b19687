// Command performance measures what memcost's method reaches on this machine and
// prints a part of docs/performance.md, in Markdown. scripts/bench.sh runs all
// parts, each in a process of its own.
//
//	go run ./bench/performance machine   the machine, the date, the versions
//	go run ./bench/performance start     time and memory of memcost list
//	go run ./bench/performance run       the quick profile: where its time goes
//	go run ./bench/performance aa        false alarms on identical arms, beside benchstat's
//	go run ./bench/performance read      a run of a million samples, beside benchstat
//	go run ./bench/performance methods   what each method finds of known changes in the same seconds
//	go run ./bench/performance draw      the tables and the picture of methods again
//	go run ./bench/performance studies   how many claims a run decides, with several seeds
//
// It stands in the root of the repository, whose memcost and benchstat it runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"memcost/internal/base/proc"
)

var parts = map[string]func(*bench, context.Context) error{
	"machine": (*bench).describeMachine,
	"start":   (*bench).start,
	"run":     (*bench).quickProfile,
	"aa":      (*bench).identicalArms,
	"read":    (*bench).million,
	"methods": compareMethods,
	"draw":    drawAgain,
	"studies": runStudies,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("performance", flag.ContinueOnError)
	fs.SetOutput(stderr)
	memcost := fs.String("memcost", "bin/memcost", "the memcost to measure")
	dir := fs.String("dir", "", "where samples are kept (default memcost-bench in the user's cache)")
	scale := fs.Float64("scale", 1, "share of the repetitions: 0.04 tries a part in less than a minute")
	minutes := fs.Float64("minutes", 20, "how long the steps of methods may take, over all calls")
	seeds := fs.Int("seeds", 5, "how many seeds of studies")
	trace := fs.Bool("x", false, "print every command")
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./bench/performance [flags] machine|start|run|aa|read|methods|draw|studies")
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); err != nil {
		return flag.ErrHelp
	}
	part, known := parts[fs.Arg(0)]
	if fs.NArg() != 1 || !known {
		fs.Usage()
		return flag.ErrHelp
	}
	if !(*scale > 0 && *scale <= 1) {
		return fmt.Errorf("-scale %v: must be above 0 and at most 1", *scale)
	}
	if *seeds < 1 || !(*minutes >= 0) {
		return fmt.Errorf("-seeds %d, -minutes %v: must be positive", *seeds, *minutes)
	}
	b := &bench{runner: &proc.Runner{}, env: proc.CleanEnv(os.Environ(), "GOTOOLCHAIN=local", "GOENV=off",
		"GOWORK=off"),
		scale: *scale, minutes: *minutes, seeds: *seeds, out: stdout, log: stderr}
	if *trace {
		b.runner.Trace = stderr
	}
	if err := b.places(*memcost, *dir); err != nil {
		return err
	}
	return part(b, ctx)
}
