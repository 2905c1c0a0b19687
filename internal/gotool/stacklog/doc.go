// Package stacklog reads what a Go program did with its goroutine stacks: the
// log that the runtime writes when it is compiled with stackDebug = 1
// (runtime/stack.go), and execution traces with GODEBUG=traceallocfree=1.
//
// The statements that write the log have the same text from Go 1.13 to 1.27
// (compared in the sources of 1.13.15 to 1.27.4):
//
//	stackcacherefill order=K                    a processor's cache of stacks of 2 KiB<<K is empty
//	stackcacherelease order=K                   it is full, half goes back to the pool
//	stackcache clear                            by the collector
//	stackalloc N                                \ one allocation; lines of other
//	  allocated 0xADDR                          / threads may come between
//	stackfree 0xADDR N
//	runtime: newstack sp=… stack=[LO, HI]       \ one statement; a growth or a
//	⇥morebuf={pc:… sp:… lr:…}                   | preemption. morebuf is the caller of
//	⇥sched={pc:… sp:… lr:… ctxt:…}              / the function whose pc is in sched
//	copystack gp=0xG [LO SP HI] -> [LO SP HI]/N HI-SP bytes were copied
//	stack grow done
//	shrinking stack N->M                        by the collector; a copystack follows
//	runtime: goroutine stack exceeds N-byte limit
//	other process N                             has memcost's runtime too, and is not in this log
//
// What differs between versions is which of them come, and when. memcost builds
// programs so that each statement is one write(2), to a descriptor of its own on
// Linux; a stackalloc and its address are one statement there. In a log that an
// unchanged runtime wrote to standard error each operand was written on its own,
// so that anything the program itself wrote can come in the middle of a line.
package stacklog
