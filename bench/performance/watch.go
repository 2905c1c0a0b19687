package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/proc"
)

// watchEvery is how often the peak of a running process is read: a high-water
// mark only loses what it rises by after the last look.
const watchEvery = 100 * time.Millisecond

// doWatched runs a process that must succeed and reads its own peak resident set (VmHWM)
// while it runs. wait(2) would report the largest of the process and everything it
// started. The peak is 0 where there is no /proc.
func (b *bench) doWatched(ctx context.Context, c proc.Cmd) (res proc.Result, peak int64, err error) {
	program, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		return res, 0, err
	}
	stop, peaks := make(chan struct{}), make(chan int64)
	go func() { peaks <- watch(stop, program) }()
	res, err = b.do(ctx, c)
	close(stop)
	return res, <-peaks, err
}

func watch(stop <-chan struct{}, program string) (peak int64) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	pid := 0
	for {
		select {
		case <-stop:
			return peak
		case <-tick.C:
		}
		if pid == 0 {
			pid = childRunning(program)
		}
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); pid != 0 && err == nil {
			peak = max(peak, highWater(status))
		}
	}
}

// childRunning returns the child that runs the program, 0 if there is none yet: until
// its execve it is a copy of this process.
func childRunning(program string) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil || parentOf(data) != os.Getpid() {
			continue
		}
		dir := filepath.Dir(path)
		if exe, err := os.Readlink(filepath.Join(dir, "exe")); err == nil && exe == program {
			pid, _ := strconv.Atoi(filepath.Base(dir))
			return pid
		}
	}
	return 0
}

// parentOf returns the parent's number in a /proc/PID/stat: the second field after the
// name, which is in parentheses and may contain anything (proc_pid_stat(5)).
func parentOf(stat []byte) int {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	pid, _ := strconv.Atoi(string(fields[1]))
	return pid
}

// highWater returns the VmHWM of a /proc/PID/status in bytes, 0 if it has none (a
// process that has ended).
func highWater(status []byte) int64 {
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
