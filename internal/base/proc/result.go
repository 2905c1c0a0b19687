package proc

import (
	"fmt"
	"strings"
	"time"
)

// Usage holds what the kernel counted for a process and for the descendants that it
// waited for.
type Usage struct {
	User, Sys time.Duration

	// MaxRSS is the peak resident set in bytes, 0 where the system does not report it.
	//
	// On Linux the figure is never below MaxRSSFloor, memcost's own peak: the child
	// shares memcost's memory until it calls execve, which credits the peak of the old
	// memory to the new program (fs/exec.c, exec_mmap, setmax_mm_hiwater_rss). PeakRSS
	// takes this into account.
	MaxRSS      int64
	MaxRSSFloor int64 // bytes; 0 where there is no such floor

	MinorFaults, MajorFaults               int64
	VoluntarySwitches, InvoluntarySwitches int64
}

// PeakRSS returns the peak resident set in bytes. It is not ok where the system does not
// report it, or where it is only known to be at most MaxRSSFloor.
func (u Usage) PeakRSS() (bytes int64, ok bool) {
	return u.MaxRSS, u.MaxRSS > u.MaxRSSFloor
}

// Result holds how a process ended and what it wrote.
type Result struct {
	Stdout, Stderr         []byte // where bytes were dropped, a line in the middle says so
	StdoutLost, StderrLost int64  // bytes dropped
	ExitCode               int    // -1 if a signal ended it
	Signal                 string // "SIGSEGV", or "" if it exited by itself
	TimedOut               bool   // stopped by Cmd.Timeout
	Wall                   time.Duration
	Usage                  Usage

	timeout time.Duration
}

// Err returns nil for a process that exited with 0, else an error that names the action
// (what), how the process ended, and the last lines it wrote.
func (r Result) Err(what string) error {
	var how string
	switch {
	case r.TimedOut:
		how = fmt.Sprintf("killed after its time limit of %v", r.timeout)
	case r.Signal != "":
		how = "killed by " + r.Signal
	case r.ExitCode != 0:
		how = fmt.Sprintf("exit status %d", r.ExitCode)
	default:
		return nil
	}
	tail := lastLines(r.Stderr, 10)
	if tail == "" {
		tail = lastLines(r.Stdout, 10)
	}
	if tail == "" {
		return fmt.Errorf("%s: %s, without any output", what, how)
	}
	return fmt.Errorf("%s: %s; its last output:\n%s", what, how, tail)
}

// lastLines returns the last n lines of b, indented, without blank lines at the end.
func lastLines(b []byte, n int) string {
	text := strings.TrimRight(string(b), " \t\r\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-n):]
	return "\t" + strings.Join(lines, "\n\t")
}
