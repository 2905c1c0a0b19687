// Package limits holds what is claimed about the limits of the goroutine stack:
// how large a value may be to stay on it, how large it starts, grows and becomes.
// The claims are those of "arrays and slices on the goroutine stack" (Go 1.13.8,
// amd64) that are about sizes and places, not time.
//
// There are no benchmarks here: memcost limits finds the figures by trying, with
// the compiler and the runtime of each Go version, one record BenchmarkLimit/what=…
// for each limit.
//
//memcost:go 1.13
//memcost:claim D1 what:min-stack bytes == 2048 # The smallest stack has 2 KiB
//memcost:claim D2 what:max-stack bytes == 1e9 # The largest stack has 1 GB on 64-bit systems
//memcost:claim D2-usable what:max-stack-usable bytes == 536870912
//memcost:more # A goroutine can use 512 MiB of the largest stack, for sizes are powers of two
//memcost:claim D3-small what:growth-factor ratio == 2 # Each growth doubles the stack under many small frames
//memcost:claim D3-large what:growth-steps frame:65536 steps == 5
//memcost:more # Growing for one frame of 64 KiB takes 5 doublings from 4 KiB
//memcost:claim D4 what:shrink-factor ratio == 2 # Stacks shrink by half
//memcost:claim D7 what:explicit bytes >= 10485760 # An array of 10 MiB stays on the stack
//memcost:claim D8 what:growth-steps frame:10485760 steps == 12
//memcost:more # Growing for a frame of 10 MiB goes step by step from 4 KiB to 16 MiB, in 12 doublings
//memcost:claim D9 what:make bytes >= 65535 # Slices of nearly 64 KiB stay on the stack
//memcost:claim D9-inclusive what:make bytes >= 65536 # Slices of exactly 64 KiB stay on the stack
package limits
