package proc

import (
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

func wantGone(t *testing.T, pid int) {
	t.Helper()
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(h)
	if state, _ := windows.WaitForSingleObject(h,
		uint32((5*time.Second)/time.Millisecond)); state != windows.WAIT_OBJECT_0 {
		t.Errorf("process %d was left running", pid)
	}
}

// runAndReport is the part "parent", of a test that only Unix has.
func runAndReport(string) int { return 1 }
