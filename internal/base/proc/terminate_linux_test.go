package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Of a variable that an environment has twice a process sees the last value.
func TestLauncherEnvironment(t *testing.T) {
	l := launcher(t)
	c := helper(t, "cat")
	c.Env = append(c.Env, "WORD=first", "WORD=last")
	if got := string(launch(t, l, c).Stdout); !strings.Contains(got, "|last|") {
		t.Errorf("the process sees %s", got)
	}
	c = helper(t, "variables", "WORD")
	c.Env = append(c.Env, "WORD=first", "X=1", "WORD=last")
	if got := string(launch(t, l, c).Stdout); got != "WORD=last\n" {
		t.Errorf("its environment has %q", got)
	}
}

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
