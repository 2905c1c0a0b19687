// Package limits holds what is claimed about the limits of the goroutine stack:
// how large a value may be to stay on it, how large it starts, grows and becomes.
// The claims are those of "arrays and slices on the goroutine stack" (Go 1.13.8,
// amd64) that are about sizes and places, not time.
//
// There are no benchmarks here: memcost limits finds the figures by trying, with
// the compiler and the runtime of each Go version, one record BenchmarkLimit/what=…
// for each limit.
//
//memcost:question What stays on the goroutine stack, how does the stack grow, and since which Go release?
//memcost:command memcost limits
//memcost:go 1.13
//memcost:claim D1 what:min-stack bytes == 2048 # the smallest stack has 2 KiB
//memcost:claim D2 what:max-stack bytes == 1e9 # the largest has 1 GB (64-bit systems)
//memcost:claim D2-usable what:max-stack-usable bytes == 536870912 # of which 512 MiB can be had, for sizes are powers of two
//memcost:claim D3-small what:growth-factor ratio == 2 # under many small frames each growth doubles
//memcost:claim D3-large what:growth-steps frame:65536 steps == 5 # for one frame of 64 KiB too: 5 doublings from 4 KiB
//memcost:claim D4 what:shrink-factor ratio == 2 # stacks shrink too, by half
//memcost:claim D7 what:explicit bytes >= 10485760 # an array of 10 MiB stays on the stack
//memcost:claim D8 what:growth-steps frame:10485760 steps == 12 # for a frame of 10 MiB it grows from 4 KiB to 16 MiB step by step, 12 doublings
//memcost:claim D9 what:make bytes >= 65535 # slices of nearly 64 KiB stay on the stack
//memcost:claim D9-inclusive what:make bytes >= 65536 # and those of 64 KiB do
//memcost:table What stays on the stack, up to by toolchain: explicit variable = what:explicit bytes | new = what:new bytes | &T{} = what:literal bytes | make, constant = what:make bytes | make, variable = what:make-variable bytes | string to []byte = what:string-to-bytes bytes | []byte to string = what:bytes-to-string bytes | concatenation = what:concat bytes | append = what:append bytes | variable of a closure = what:closure bytes
//memcost:table A slice that is returned is one allocation, appending up to by toolchain: append, returned = what:append-returned bytes
//memcost:table The stack itself by toolchain: smallest = what:min-stack bytes | largest = what:max-stack bytes | of which usable = what:max-stack-usable bytes | start after deep goroutines = what:adaptive-start bytes | shrinks if less is used of 1 MiB = what:shrink-below bytes
//memcost:table Growth and shrinking by toolchain: growth = what:growth-factor ratio | shrinking = what:shrink-factor ratio
//memcost:table Steps to a frame of by toolchain: 4 KiB = what:growth-steps frame:4096 steps | 64 KiB = what:growth-steps frame:65536 steps | 1 MiB = what:growth-steps frame:1048576 steps | 10 MiB = what:growth-steps frame:10485760 steps
//memcost:table Deepest recursion with a variable in each frame of by toolchain: 64 B = what:depth frame:64 levels | 1 KiB = what:depth frame:1024 levels | 64 KiB = what:depth frame:65536 levels | 1 MiB = what:depth frame:1048576 levels | 10 MiB = what:depth frame:10485760 levels
//memcost:picture steps What stays on the stack, by Go version by toolchain: explicit variable = what:explicit bytes | new = what:new bytes | make, constant = what:make bytes | make, variable = what:make-variable bytes | string to []byte = what:string-to-bytes bytes | append = what:append bytes
//memcost:picture steps Steps to grow for a frame, by Go version by toolchain: 4 KiB = what:growth-steps frame:4096 steps | 64 KiB = what:growth-steps frame:65536 steps | 1 MiB = what:growth-steps frame:1048576 steps | 10 MiB = what:growth-steps frame:10485760 steps
package limits
