package sample

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"memcost/internal/base/proc"
)

const (
	// startLimit is how long a process may take until it works: a memory buffer is
	// filled first, on a machine whose cores may all be busy.
	startLimit  = 20 * time.Second
	answerLimit = time.Second

	// atWork is the CPU time that a process must have used for its load, after its first
	// answer, to be believed to work.
	atWork = time.Millisecond
)

// hog is one process of a load, seen from the program that started it.
type hog struct {
	input   *os.File // its standard input: a line asks, the end ends it
	answers chan time.Duration
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the process has ended, and res and err are set
	stopped bool

	res proc.Result
	err error

	mu   sync.Mutex
	last time.Duration // what it answered last
}

// startHog starts a process. Its work is as [Main] reads it.
func startHog(ctx context.Context, self, work string) (*hog, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &hog{input: w, cancel: cancel, answers: make(chan time.Duration, 1), ended: make(chan struct{})}
	go func() {
		defer close(h.ended)
		defer r.Close()
		h.res, h.err = new(proc.Runner).Run(ctx, proc.Cmd{
			Path: self, Args: []string{entryArg, work}, Stdin: r, ReadStdout: h.read,
			// Two threads: one works, and one waits for a question. The collector has nothing to do.
			Env: proc.CleanEnv(os.Environ(), entryVar+"=1", "GOMAXPROCS=2", "GOGC=off"),
		})
	}()
	return h, nil
}

// read takes the answers of the process as they come.
func (h *hog) read(r io.Reader) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		ns, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			return
		}
		select {
		case <-h.answers: // of a question that nobody waits for any more
		default:
		}
		h.answers <- time.Duration(ns)
	}
}

// ask asks the process for its CPU time. One that cannot be asked has ended, which wait
// reports.
func (h *hog) ask() { _, _ = h.input.WriteString("cpu\n") }

// answer waits for the answer to a question.
func (h *hog) answer(ctx context.Context, limit time.Duration) (time.Duration, error) {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case ns := <-h.answers:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.last = max(h.last, ns)
		return h.last, nil
	case <-h.ended:
		return 0, h.failure()
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-late.C:
		return 0, fmt.Errorf("it does not answer within %v", limit)
	}
}

// awaitWork waits until the process has been seen to work: its CPU time grows.
func (h *hog) awaitWork(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit,
		fmt.Errorf("it has not begun its work after %v", startLimit))
	defer cancel()
	h.ask()
	first, err := h.answer(ctx, startLimit)
	for now := first; err == nil && now < first+atWork; {
		select {
		case <-time.After(atWork):
		case <-ctx.Done():
		}
		h.ask()
		now, err = h.answer(ctx, startLimit)
	}
	return err
}

// cpu returns the CPU time of the process: the answer to the last ask, and after its end
// what the system says.
func (h *hog) cpu() time.Duration {
	now, err := h.answer(context.Background(), answerLimit)
	select {
	case <-h.ended:
		return h.res.Usage.User + h.res.Usage.Sys
	default:
	}
	if err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.last
	}
	return now
}

// stop makes the process end, and does not wait for it.
func (h *hog) stop() {
	select {
	case <-h.ended:
	default:
		h.stopped = true
	}
	h.cancel()
	h.input.Close()
}

// wait waits for the end of a process that was stopped. It returns an error if it had
// ended before, other than with the context of Start.
func (h *hog) wait() error {
	<-h.ended
	if h.stopped || errors.Is(h.err, context.Canceled) || errors.Is(h.err, context.DeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("a process that kept the machine busy ended before it was stopped: %w", h.failure())
}

// failure says why a process has ended that should not have.
func (h *hog) failure() error {
	switch {
	case h.err != nil:
		return h.err
	case strings.TrimSpace(string(h.res.Stderr)) != "" || h.res.ExitCode != 0:
		return h.res.Err("this program, run again as a load")
	}
	return errors.New("this program, run again as a load, ended without a word")
}
