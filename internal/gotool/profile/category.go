package profile

import (
	"path"
	"strings"
)

// A Category is a use of the time of samples.
type Category string

// The categories, in the order of Shares.
const (
	User Category = "user" // the program's functions and the libraries that it calls
	// collecting: marking, assists, sweeping, write barriers, its pauses, giving memory
	// back
	GC        Category = "gc"
	Alloc     Category = "alloc"     // allocating
	Sched     Category = "sched"     // scheduling: choosing goroutines, stopping and waking threads, timers, the poller
	Stack     Category = "stack"     // making, growing and shrinking stacks
	Memory    Category = "memory"    // moving and clearing blocks of memory
	Syscall   Category = "syscall"   // system calls that the program makes
	Other     Category = "other"     // all else in the runtime: maps, channels, type switches, hashing
	Recording Category = "recording" // the profiler and the tracer themselves
)

// Categories are all of them in order.
var Categories = []Category{User, GC, Alloc, Sched, Stack, Memory, Syscall, Other, Recording}

// neutral marks a frame that does not decide the category: the next one towards the root
// is asked.
const neutral Category = ""

// files gives the category of the functions in the files of the runtime (package
// runtime, Go 1.13 to 1.27). What serves several masters is not in it: mheap.go,
// mcentral.go and mcache.go hand spans to the allocator and take them from the
// sweeper, the locks (lock_*.go) and calls of the system (sys_*.s, mem_*.go,
// os_*.go) are anyone's. mgc*.go, netpoll*.go and trace*.go are in fileCategory.
var files = map[string]Category{
	"mwbbuf.go":     GC, // the write barrier's buffer
	"mcheckmark.go": GC,
	"mfinal.go":     GC, // finalizers
	"mcleanup.go":   GC, // and, from Go 1.24 on, cleanups

	"malloc.go":           Alloc,
	"malloc_generated.go": Alloc, // from Go 1.26 on
	"malloc_stubs.go":     Alloc,
	"slice.go":            Alloc, // makeslice, growslice
	"arena.go":            Alloc,

	"proc.go": Sched, // but for those in functions
	"time.go": Sched, // timers
	"sema.go": Sched, // what sync.Mutex waits in

	"stack.go": Stack,

	"cpuprof.go": Recording,
	"profbuf.go": Recording,
}

// functions gives the category of functions that do not have their file's, and of
// those in assembly.
var functions = map[string]Category{
	// proc.go, functions that stop the world: see worlds.
	"preemptall": neutral, "preemptone": neutral,
	// proc.go: states of goroutines, which the collector changes, too.
	"casgstatus": neutral, "castogscanstatus": neutral, "casfrom_Gscanstatus": neutral, "casGToWaiting": neutral,
	"casGToWaitingForGC": neutral, "casGToWaitingForSuspendG": neutral, "casGToPreemptScan": neutral,
	"casGFromPreempted": neutral,
	// proc.go: where goroutines begin.
	"main": neutral, "doInit": neutral, "doInit1": neutral,
	// proc.go: around a system call.
	"entersyscall": Syscall, "reentersyscall": Syscall, "entersyscallblock": Syscall, "exitsyscall": Syscall,
	"exitsyscallfast": Syscall, "exitsyscall0": Syscall, "entersyscall_sysmon": Syscall, "entersyscall_gcwait": Syscall,
	// proc.go: names without a body, which stand for code without symbols.
	"_GC": GC, "_System": Other, "_ExternalCode": Other, "_LostExternalCode": Other, "_VDSO": Other,
	"_LostSIGPROFDuringAtomic64": Other, "_LostContendedRuntimeLock": Other,
	// preempt.go
	"asyncPreempt2": Sched,
	// asm_*.s
	"gcWriteBarrier": GC, "morestack": Stack, "morestack_noctxt": Stack, "gogo": Sched, "mcall": Sched,
	// trace*.go: the question whether the tracer runs
	"traceAcquire": neutral, "traceAcquireEnabled": neutral, "traceRelease": neutral, "traceLocker.ok": neutral,
	"traceEnabled": neutral, "traceAllocFreeEnabled": neutral, "traceShuttingDown": neutral,
	// memmove_*.s, memclr_*.s, duff_*.s, malloc.go, mbarrier.go
	"memmove": Memory, "memclrNoHeapPointers": Memory, "memclrHasPointers": Memory,
	"memclrNoHeapPointersChunked": Memory,
	"duffcopy":                    Memory, "duffzero": Memory, "typedmemmove": Memory, "typedslicecopy": Memory,
}

// worlds are functions of proc.go that stop and start all processors, or make each
// do something, for whoever called them: the scheduling that this takes is his.
var worlds = map[string]bool{
	"runtime.stopTheWorld": true, "runtime.stopTheWorldGC": true, "runtime.stopTheWorldWithSema": true,
	"runtime.startTheWorld": true, "runtime.startTheWorldGC": true, "runtime.startTheWorldWithSema": true,
	"runtime.forEachP": true, "runtime.forEachPInternal": true,
}

// recorders begin the names of the functions in which the goroutines of
// runtime/pprof and runtime/trace run, with all that they call.
var recorders = []string{
	"runtime/pprof.profileWriter", "runtime/trace.Start.func", "runtime/trace.(*traceMultiplexer).",
	"runtime/trace.(*FlightRecorder).",
}

// category returns the category of a sample, from its frames, leaf first.
//
// Code of the program at the leaf is the program's own time. Otherwise the frame of the
// runtime nearest to the leaf that has a category decides: a lock taken in the sweep is
// sweeping, one that the scheduler takes is scheduling. The search ends where the
// program called the runtime. Scheduling that stops or starts the world counts for the
// caller that requested it.
func category(frames []frame) Category {
	for _, f := range frames {
		for _, r := range recorders {
			if strings.HasPrefix(f.name, r) {
				return Recording
			}
		}
	}
	// The tick of the profiler and the signal that preempts often come together.
	// The kernel then enters the second handler first, and the sample is taken as
	// the first instruction of asyncPreempt would run, which costs nothing: what
	// ran is the function that it was to interrupt.
	if len(frames) > 1 && frames[0].name == "runtime.asyncPreempt" {
		frames = frames[1:]
	}
	atLeaf, inC := true, false
	for i, f := range frames {
		switch f.owner() {
		case helper:
			continue
		case systemCalls:
			return Syscall
		case program:
			if atLeaf || inC {
				return User
			}
			return Other
		}
		atLeaf = false
		if c := f.category(); c != neutral && !(c == Sched && forWorld(frames[i:])) {
			return c
		}
		inC = inC || f.name == "runtime.cgocall"
	}
	return Other
}

// forWorld reports whether the runtime reached the first frame to stop or start the
// world.
func forWorld(frames []frame) bool {
	for _, f := range frames {
		if f.owner() != runtime {
			return false
		}
		if worlds[f.name] {
			return true
		}
	}
	return false
}

// category returns the category of a single frame of the runtime.
func (f frame) category() Category {
	base := path.Base(strings.ReplaceAll(f.file, `\`, "/"))
	pkg, fn := SplitName(f.name)
	if pkg == "internal/runtime/gc" || strings.HasPrefix(pkg, "internal/runtime/gc/") {
		return GC // the size classes and, from Go 1.25 on, the scan kernels
	}
	if pkg != "runtime" && pkg != "" { // linknamed functions of the runtime's files, and internal packages
		fn = ""
	}
	if c, ok := functions[fn]; ok {
		return c
	}
	switch {
	case strings.HasPrefix(base, "mgc"):
		return GC // mgc.go, mgcmark*.go, mgcpacer.go, mgcsweep.go, mgcscavenge.go, mgcwork.go, mgclimit.go, mgcstack.go
	case strings.HasPrefix(base, "netpoll"):
		return Sched
	case strings.HasPrefix(base, "trace") && base != "traceback.go":
		return Recording
	case strings.HasPrefix(fn, "gcWriteBarrier"):
		return GC // one for each register until Go 1.20, one for each size since
	}
	return files[base]
}

type owner int

const (
	program owner = iota
	runtime
	systemCalls
	helper // a package below the runtime: its time is the caller's
)

// owner returns whose function it is. The runtime has functions under the names of other
// packages (sync.runtime_Semacquire, time.Sleep), which are recognised by their file.
func (f frame) owner() owner {
	pkg, _ := SplitName(f.name)
	switch pkg {
	case "syscall", "internal/syscall/unix", "internal/syscall/windows", "golang.org/x/sys/unix",
		"golang.org/x/sys/windows":
		return systemCalls
	case "runtime":
		return runtime
	case "internal/bytealg", "internal/stringslite", "internal/abi", "internal/chacha8rand":
		return helper
	}
	if strings.HasPrefix(pkg, "runtime/internal/") || strings.HasPrefix(pkg, "internal/runtime/") {
		return runtime
	}
	dir := path.Dir(strings.ReplaceAll(f.file, `\`, "/"))
	if dir == "internal/bytealg" || strings.HasSuffix(dir, "/src/internal/bytealg") {
		return helper // in assembly, of names without a package
	}
	first, _, _ := strings.Cut(pkg, "/")
	if (dir == "runtime" || strings.HasSuffix(dir, "/src/runtime")) && !strings.Contains(first, ".") {
		return runtime
	}
	return program
}

// SplitName cuts the name of a function into its package and the rest. Symbols of
// assembly need not have a package.
func SplitName(name string) (pkg, fn string) {
	end := len(name)
	if i := strings.IndexAny(name, "[("); i >= 0 { // a type argument, or a receiver, may hold slashes
		end = i
	}
	slash := strings.LastIndexByte(name[:end], '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		return name[:slash+dot], name[slash+dot+1:]
	}
	return "", name
}
