// Package exectrace reads execution traces (runtime/trace, go test -trace) of Go
// 1.11 to 1.27 and says what the garbage collector and the scheduler did:
// collections, pauses by reason, assists and sweeping, where the processors'
// time went, what goroutines waited for, minimum mutator utilization, and the
// heap over time.
//
// The traces are parsed by golang.org/x/exp/trace, which promises no stable
// interface; nobody else needs to know it. What is called here
//
//	mark phase   is the trace's "GC concurrent mark phase": from just before the
//	             world is stopped to end sweeping until just before it is
//	             restarted after mark termination (runtime/mgc.go), so that it
//	             contains the collector's two pauses;
//	pause        is the trace's "stop-the-world (reason)": from the request to
//	             stop to the restart, so that it contains the time to stop;
//	assist       is "GC mark assist": a goroutine that allocates must mark, or
//	             wait until somebody has. One that finds that nothing is left to mark
//	             ends the collection in its assist, after the mark phase;
//	sweep        is "GC incremental sweep": a processor sweeps a span before it
//	             allocates from it;
//	tool's pause is one whose reason is not the collector's: start trace, read
//	             mem stats, GOMAXPROCS, goroutine profile and others.
//
// What a trace does not say: Go 1.11 to 1.20 have only the collector's two kinds
// of pauses in it, and Go 1.11 to 1.21 no length for system calls that kept
// their processor (1 ns each).
//
// # Memory
//
// A trace of Go 1.22 or newer is read as a stream, one generation (about a
// second) at a time; Go's collector lets the parser grow to about 12 times the
// largest generation (1.0 GB of trace at 84 MB a generation: 0.9 to 1.2 GB
// resident). A program that wants less sets a limit (runtime/debug.SetMemoryLimit;
// with 500 MiB: 0.6 GB, a fifth slower). An older trace is held in memory whole,
// because its events are not in order in the file: about 12 times its size.
//
// Of a trace that was cut off or is damaged, generations are told that the parser has
// delivered whole, and nothing is drawn out beyond the last event of them: the parser
// notices damage only in the middle of a generation, or at its end. What of Go 1.21 or
// older was cut off gives nothing.
package exectrace
