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

// A daemon that what was started left, in a session of its own, is stopped and counted; another's process is not.
func TestDaemonsAreStopped(t *testing.T) {
	l, mark := launcher(t), filepath.Join(t.TempDir(), "pid")
	script := "setsid sleep 60 </dev/null >/dev/null 2>&1 & echo $! >" + mark
	c := Cmd{Path: "sh", Args: []string{"-c", script + "; while ! [ -s " + mark + " ]; do :; done; sleep 0.2"}, Env: os.Environ()}
	res := launch(t, l, c)
	text, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode != 0 || res.Daemons != 1 {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(text))); err == nil {
		t.Errorf("the daemon %s goes on", text)
	}
	if res := launch(t, l, helper(t, "exit", "0", "")); res.Daemons != 0 {
		t.Errorf("behind it: %+v", res)
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
