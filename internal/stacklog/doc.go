// Package stacklog reads what a Go program did with its goroutine stacks: the
// log that the runtime writes to stderr when it is compiled with stackDebug = 1
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
//
// What differs between versions is which of them come, and when. The runtime
// holds a lock for a statement, so the lines of two threads do not mix; but it
// writes each operand on its own, so that anything the program itself writes to
// stderr can come in the middle of a line.
package stacklog
