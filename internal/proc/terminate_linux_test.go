package proc

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a launcher runs is asked to end by SIGTERM, and nothing happens where nothing runs.
func TestTerminate(t *testing.T) {
	l := launcher(t)
	if err := l.Terminate(); err != nil {
		t.Fatal(err)
	}
	if res := launch(t, l, helper(t, "exit", "0", "")); res.ExitCode != 0 || res.Signal != "" {
		t.Errorf("behind a request to end nothing: %+v", res)
	}
	mark := filepath.Join(t.TempDir(), "runs")
	go func() {
		for { // until it runs
			if _, err := os.Stat(mark); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := l.Terminate(); err != nil {
			t.Error(err)
		}
	}()
	if res := launch(t, l, helper(t, "hang", mark)); res.Signal != "SIGTERM" || res.TimedOut {
		t.Errorf("asked to end, it ended with %+v", res)
	}
}
