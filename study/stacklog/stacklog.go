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
//memcost:question How do the goroutine stacks of six small programs grow, by the runtime's own log?
//memcost:command memcost stack stackgrowth
//memcost:go 1.13
//memcost:claim D3 event:grow factor == 2 for every program, from, to # each growth doubles the stack, whatever it is for
//memcost:claim D5 program:hello largest-B == 4096 # hello world grows a stack from 2 to 4 KiB
//memcost:claim D5-own program:empty grows == 0 # an empty program grows none: it is hello world that needs it
//memcost:claim D5-used program:hello event:grow from:2048 used-B == 848 # with 848 of the 2048 bytes in use
//memcost:claim D6 program:sequence reused >= 1 # freed stacks are used again
//memcost:claim D7 program:array largest-B >= 16777216 # an array of 10 MiB is on the stack, which grows to 16 MiB
//memcost:claim D8 program:array event:grow to:16777216 factor == 2 # step by step: the last one doubles
//memcost:claim D9 program:slice largest-B >= 131072 # a slice of nearly 64 KiB is on the stack, which grows to 128 KiB
//memcost:table Largest stack that grew by toolchain: empty = program:empty largest-B | hello = program:hello largest-B | 12 goroutines = program:goroutines largest-B | array of 10 MiB = program:array largest-B | slice of 65535 B = program:slice largest-B
//memcost:table Growths of the stack that grew most by toolchain: empty = program:empty steps | hello = program:hello steps | 12 goroutines = program:goroutines steps | array of 10 MiB = program:array steps | slice of 65535 B = program:slice steps
//memcost:table Bytes copied in all by toolchain: empty = program:empty copied-B | hello = program:hello copied-B | 12 goroutines = program:goroutines copied-B | array of 10 MiB = program:array copied-B | slice of 65535 B = program:slice copied-B
//memcost:table Stacks on the memory of freed ones by toolchain: hello = program:hello reused | 12 goroutines = program:goroutines reused | 12 in sequence = program:sequence reused
//memcost:picture steps Largest stack, by Go version by toolchain: hello = program:hello largest-B | 12 goroutines = program:goroutines largest-B | array of 10 MiB = program:array largest-B | slice of 65535 B = program:slice largest-B
//memcost:picture steps Bytes copied in all, by Go version by toolchain: hello = program:hello copied-B | 12 goroutines = program:goroutines copied-B | array of 10 MiB = program:array copied-B | slice of 65535 B = program:slice copied-B
package stacklog
