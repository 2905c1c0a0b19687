// Package stacks builds Go programs so that they record what they do with their
// goroutine stacks, runs them, and reads what they recorded.
package stacks

import (
	"io"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
)

// Options say what is built, how it is run and what is recorded.
type Options struct {
	Programs []string // of the study, by their names: see StudyPrograms
	Packages []string // patterns of packages in the current folder, or the Go files of one program
	Versions []string // of Go, as toolchain.Finder.Find knows them; each builds everything

	BuildFlags []string // of the go command, one word each
	Recording  toolchain.Recording

	Arguments []string // of each program
	Bench     string   // run the benchmarks that match, of the packages' tests; "" is none
	BenchTime string   // iterations or time of each benchmark: "100x"
	Tests     string   // run the tests that match; "" is all, and none beside Bench

	Timeout time.Duration // a program is stopped after it; 0 is never
	Grace   time.Duration // between SIGINT, SIGTERM and SIGKILL

	Stdin      string    // a file for the standard input of each program; "-" is Input, "" is empty
	Input      io.Reader // for Stdin "-"
	Output     io.Writer // gets what the programs write; nil drops it
	StdoutFile string    // gets their standard output instead; "" is none
	KeepLog    string    // a file for the log, or for the trace; "" is none
}

// tests reports whether tests or benchmarks are asked for.
func (o Options) tests() bool { return o.Bench != "" || o.Tests != "" }

// Recorder builds and runs programs. The function fields may be nil.
type Recorder struct {
	Options
	Finder  *toolchain.Finder
	Builder *toolchain.Builder
	Runner  *proc.Runner

	Step    func(string) // told what is being done
	Start   func(*Run)   // told before a program is run, which may write from then on
	Note    func(string) // told what the user should know, a line each
	LeftOut func(string) // told of a toolchain that cannot be had, or does not build the programs
}

func report(to func(string), text string) {
	if to != nil {
		to(text)
	}
}
