package toolchain

// StackLogBuild describes programs to build that record their stacks: by default with
// the runtime's stack log on. Run by RunLogged, they write each allocation, growth,
// shrink and release of a goroutine stack to a log, which internal/gotool/stacklog reads. The
// log costs a system call for every event: such a program gives counts, no times.
type StackLogBuild struct {
	Toolchain Toolchain
	Dir       string   // directory to build in
	Packages  []string // patterns of packages ("./cmd/server", "./..."), or the Go files of one program
	Flags     []string // of the go command, one word each
	Env       []string // variables to set: CGO_ENABLED …
	Tests     bool     // the test binaries of programs too, not the programs
	Record    Recording
}

// Recording is how a program records its stacks.
type Recording uint8

const (
	StackLog      Recording = iota // the runtime's log
	StackTrace                     // an execution trace, of a runtime as it was installed (Go 1.23)
	StackLogTrace                  // both, with TraceBegins and TraceEnds in the log
)

// LoggedProgram is one binary that logs.
type LoggedProgram struct {
	ImportPath string
	Dir        string // of its source; a test binary must run there
	Path       string // absolute
	Test       bool   // a test binary
}

// StackLogged are the programs that were built.
type StackLogged struct {
	Programs []LoggedProgram
	Warnings []string
}

// stackLogText is a text that only a runtime with stackDebug > 0 holds: the
// compiler drops the statements of a false constant condition.
const stackLogText = "stackcacherefill order="

// texts returns the strings that a correctly built binary contains.
func (r Recording) texts() map[string]string {
	all := map[string]string{}
	if r != StackTrace {
		all["the stack log"] = stackLogText
	}
	if r != StackLog {
		all["the tracer"] = TraceVar
	}
	return all
}

// A program built with StackTrace or StackLogTrace writes an execution trace of its
// whole run to the file that TraceVar names; run it with GODEBUG=traceallocfree=1 for
// the events of stacks. With a MarksVar that is not empty it also writes the lines
// TraceBegins and TraceEnds to the stack log, so that both cover the same part of a run.
// Both variables are removed from its children's environment. On Unix it must be given
// two pipes as its files 3 and 4: when the first ends, the trace is ended, and then the
// second.
const (
	TraceVar = "MEMCOST_STACK_TRACE"
	MarksVar = "MEMCOST_STACK_MARKS"

	TraceBegins = "memcost: the trace begins"
	TraceEnds   = "memcost: the trace ends"
)
