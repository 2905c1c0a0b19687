package proc

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: it holds the process and what it starts, and Windows
// ends it when its last handle closes, so also when memcost is killed.
type group struct {
	cmd *exec.Cmd
	mu  sync.Mutex     // kill comes from another goroutine
	job windows.Handle // 0 if there is none: then only the process itself is killed
}

func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	g := &group{cmd: cmd}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// started puts the process into the job. What it started before that, in its
// first microseconds, stays outside.
func (g *group) started() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(g.cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(g.job, h)
		windows.CloseHandle(h)
	}
	if err != nil {
		g.drop()
	}
}

func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drop()
}

func (g *group) drop() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

// wait leaves the waiting to exec.Cmd.Wait.
func (g *group) wait() (ended bool) { return false }

func (g *group) kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return g.cmd.Process.Kill()
	}
	return windows.TerminateJobObject(g.job, 1)
}

// interrupt and terminate both send Ctrl-Break, the only request that Windows has.
func (g *group) interrupt() error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid))
}

func (g *group) terminate() error { return g.interrupt() }

func signalName(*os.ProcessState) string { return "" }

// usage returns the times only: the process state of Windows has no faults or context
// switches.
func usage(ps *os.ProcessState) Usage {
	return Usage{User: ps.UserTime(), Sys: ps.SystemTime()}
}

func maxRSSFloor() int64 { return 0 }
