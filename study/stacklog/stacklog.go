// Package stacklog holds what is claimed about the growth of goroutine stacks as the
// runtime's own log tells it. The claims are those of "arrays and slices on the
// goroutine stack" (Go 1.13.8, amd64), on its five programs, which are in
// study/stackgrowth/programs. A sixth, sequence, is ours: which of twelve goroutines
// ends before another starts is the scheduler's choice, and so whether a freed stack
// is there to be used again.
//
// There are no benchmarks here: memcost stack runs the programs with the log switched
// on, with one record BenchmarkStackGrowth/program=… for each, and one for each kind
// of growth.
//
//memcost:go 1.13
//memcost:claim D3 event:grow factor == 2 for every program, from, to
//memcost:more # Each growth doubles the stack, whatever it is for
//memcost:claim D5 program:hello largest-B == 4096 # The program hello grows a stack from 2 to 4 KiB
//memcost:claim D5-own program:empty grows == 0
//memcost:more # An empty program grows no stack: it is the program hello that needs the growth
//memcost:claim D5-used program:hello event:grow from:2048 used-B == 848
//memcost:more # The program hello grows its stack when 848 of its 2048 bytes are in use
//memcost:claim D6 program:sequence reused >= 1 # Freed stacks are used again
//memcost:claim D7 program:array largest-B >= 16777216 # An array of 10 MiB is on the stack, which grows to 16 MiB
//memcost:claim D8 program:array event:grow to:16777216 factor == 2
//memcost:more # The stack of the array of 10 MiB grows step by step: the last step doubles it
//memcost:claim D9 program:slice largest-B >= 131072
//memcost:more # A slice of nearly 64 KiB is on the stack, which grows to 128 KiB
package stacklog
