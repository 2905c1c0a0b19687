// Package load keeps the machine busy on purpose: with processes that spin on a core, or
// that stream through more memory than the caches hold. A case measured beside them tells
// what it costs on a machine that has something else to do.
//
// Such a process is the program itself, run again: a program that calls [Start], and a
// test binary too, calls [Main] before anything else. It ends when it is stopped and when
// the program ends, however that ends: its input is a pipe that only the program holds
// open. On Linux and Windows the system ends it besides.
package sample

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"memcost/internal/base/hint"
)

// most is the largest number of processes of a load: more is a mistake.
const most = 1024

// A Load is processes that keep the machine busy. It may be used by several goroutines.
type Load struct {
	hogs []*hog

	asking sync.Mutex
	once   sync.Once
	err    error
}

// Start starts n processes of a kind, waits until each of them really works, and returns.
// With n = 0 there are none, and no error. It fails where a process cannot be started, where
// the buffers of Memory would take too much of the memory that is free, and where ctx ends
// first. The caller stops the load; it ends with ctx, too.
func Start(ctx context.Context, kind Kind, n int) (*Load, error) {
	l := &Load{}
	if n == 0 {
		return l, nil
	}
	switch {
	case n < 0 || n > most:
		return nil, fmt.Errorf("starting %d processes that keep the machine busy: from 0 to %d are possible", n, most)
	case os.Getenv(entryVar) != "":
		return nil, errors.New("starting processes that keep the machine busy: this is one of them; " +
			"the program does not call load.Main first")
	}
	work := kind.String()
	if kind == Memory {
		size, err := bufferSize(n)
		if err != nil {
			return nil, err
		}
		work = fmt.Sprint(size)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to run it again as a load: %w", err)
	}
	for range n {
		h, err := startHog(ctx, self, work)
		if err != nil {
			l.Stop()
			return nil, fmt.Errorf("starting a process that keeps the machine busy (%v): %w", kind, err)
		}
		l.hogs = append(l.hogs, h)
	}
	for _, h := range l.hogs {
		if err := h.awaitWork(ctx); err != nil {
			l.Stop()
			return nil, hint.With("see what the machine does (top), and try again",
				fmt.Errorf("starting a process that keeps the machine busy (%v): %w", kind, err))
		}
	}
	return l, nil
}

// CPU returns the CPU time, user and system, that the processes have used since Start
// began, together. After Stop it is exact; before, it is what each of them answers, or said
// last where it does not answer within a second.
func (l *Load) CPU() time.Duration {
	l.asking.Lock()
	defer l.asking.Unlock()
	for _, h := range l.hogs { // ask all before waiting for the first: they answer at the same time
		h.ask()
	}
	var sum time.Duration
	for _, h := range l.hogs {
		sum += h.cpu()
	}
	return sum
}

// Stop ends the processes and waits for their end. It returns an error where one of them
// had ended before: what was measured then was not measured beside this load. Only its
// first call does something.
func (l *Load) Stop() error {
	l.once.Do(func() {
		for _, h := range l.hogs {
			h.stop()
		}
		for _, h := range l.hogs {
			l.err = errors.Join(l.err, h.wait())
		}
	})
	return l.err
}
