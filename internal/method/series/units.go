package series

// Units that memcost adds to each sample, beside those that the benchmark
// reported. All are figures of the whole process.
const (
	UnitRound       = "round"
	UnitOrder       = "order"
	UnitLayout      = "layout"
	UnitPadding     = "padding-bytes"
	UnitWall        = "wall-sec"
	UnitUser        = "user-sec"
	UnitSys         = "sys-sec"
	UnitRSS         = "peak-RSS-bytes"
	UnitMinorFaults = "minor-faults"
	UnitMajorFaults = "major-faults"
	UnitVoluntary   = "voluntary-switches"
	UnitInvoluntary = "involuntary-switches"
	UnitSteal       = "steal-sec"
	UnitForeign     = "foreign-sec"
	UnitLoad        = "load-sec" // CPU time of the load that was put beside it on purpose
	UnitPSICPU      = "psi-cpu-sec"
	UnitPSIMemory   = "psi-memory-sec"
	UnitPSIIO       = "psi-io-sec"
	UnitGCCycles    = "gc-cycles"  // in the timed part; by the changed testing package
	UnitCPU         = "cpu-sec/op" // CPU time of the timed part, all threads; by the changed testing package
	UnitFailed      = "failed"     // 1 in a record of a process without a result
	// UnitSlices is the number of slices of a sample whose process took turns with those of
	// the other configurations; missing where it ran alone from its start to its end.
	UnitSlices  = "slices"
	UnitIdleCPU = "idle-cpu-sec" // CPU time of such a process while it waited
	// Of what a command printed on standard output: its length, and the first 52 bits of its SHA-256.
	UnitOutput     = "output-bytes"
	UnitOutputHash = "output-hash"
)

// Units that the changed testing package adds to each sample for the guards. All are
// sums over the timed part, but for what is said of them.
const (
	UnitLoopFaults        = "loop-faults"         // minor page faults
	UnitTimerStarts       = "timer-starts"        // 1 but for StopTimer in the loop
	UnitGCFreed           = "gc-freed-bytes"      // what the collector freed
	UnitHeapGoal          = "heap-goal-bytes"     // at the end; 0 while the collector is off
	UnitGoroutinesLeft    = "goroutines-left"     // by the pass with N = 1
	UnitGoroutinesLeftCPU = "goroutines-left-cpu" // CPUs that they keep busy; missing where there are none
)

// UnitBLoop is 1 in a sample whose loop is b.Loop; by the changed testing package.
const UnitBLoop = "b-loop"

// What memcost measures of its own in the leading rounds, for the guards to compare with: the
// empty loop of a toolchain, in both styles, the timer, and a plain copy. Its samples have a
// role of their own, and no table shows them.
const (
	FloorSuite    = "memcost/floor"
	RoleFloor     = "floor"
	FloorEmpty    = "Empty" // for i := 0; i < b.N; i++ {}
	FloorLoop     = "Loop"  // for b.Loop() {}; Go 1.24 and newer
	FloorTimer    = "Timer" // least time of a start and a stop of the timer within what is timed
	FloorCopy     = "Copy/size=16384"
	FloorCopySize = 16384
)

// Keys that memcost writes into the file configuration of each sample.
const (
	KeySuite     = "study"
	KeyPkg       = "pkg"
	KeyArm       = "arm"
	KeyToolchain = "toolchain"
	KeyBuiltWith = "built-with" // in place of KeyToolchain: see ToolchainKey
	KeyCompiler  = "compiler"   // of a case that a C++ program gives, beside cases in Go
	KeyRole      = "role"
	KeyFailed    = "failed" // the reason, in a record with UnitFailed
)

// Own reports whether memcost adds the unit to its samples.
func Own(unit string) bool {
	switch unit {
	case UnitWall, UnitUser, UnitSys, UnitRSS, UnitMinorFaults, UnitMajorFaults, UnitVoluntary, UnitInvoluntary,
		UnitSteal, UnitForeign, UnitLoad, UnitPSICPU, UnitPSIMemory, UnitPSIIO, UnitRound, UnitOrder, UnitLayout,
		UnitPadding, UnitFailed, UnitSlices, UnitIdleCPU, UnitOutput, UnitOutputHash,
		// by the changed testing package
		UnitGCCycles, "gc-pause-sec", "gc-pause-ns", "gc-cpu-share", UnitCPU, UnitLoopFaults, UnitTimerStarts,
		UnitGCFreed, UnitHeapGoal, UnitGoroutinesLeft, UnitGoroutinesLeftCPU, UnitBLoop:
		return true
	}
	return false
}
