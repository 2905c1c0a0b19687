// This part of the package keeps the machine busy on purpose: with processes that spin on a core, or
// that stream through more memory than the caches hold. A case measured beside them tells
// what it costs on a machine that has something else to do.
//
// Such a process is the program itself, run again: a program that calls [Start], and a
// test binary too, calls [Main] before anything else. It ends when it is stopped and when
// the program ends, however that ends: its input is a pipe that only the program holds
// open. On Linux and Windows the system ends it besides.

package sample

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/machine"
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

// Main is called first in main, and in TestMain of a package whose tests call [Start].
// It reports whether this process is one of a load; it then returns when the load is over,
// with the exit status that the program ends with.
func Main() (status int, is bool) {
	if os.Getenv(entryVar) == "" || len(os.Args) != 3 || os.Args[1] != entryArg {
		return 0, false
	}
	work, err := prepare(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2, true
	}
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		for !over.Load() {
			work()
		}
	}()
	reply(os.Stdin, os.Stdout)
	over.Store(true)
	<-done
	return 0, true
}

// reply answers each line of the input with the CPU time of this process in nanoseconds,
// until the input ends: then the program that holds its other end has ended, or wants an
// end.
func reply(r io.Reader, w io.Writer) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if _, err := fmt.Fprintln(w, int64(machine.OwnCPU()*1e9)); err != nil {
			return
		}
	}
}

// prepare returns a unit of work, of some microseconds to a millisecond. kind is that of
// [Start], or the bytes of the buffer.
func prepare(kind string) (work func(), err error) {
	if kind == CPU.String() {
		return spinner(), nil
	}
	size, err := strconv.Atoi(kind)
	if err != nil || size < chunk {
		return nil, fmt.Errorf("%q is neither %q nor the bytes of a buffer", kind, CPU)
	}
	return streamer(size), nil
}

// spinner is work without memory: xorshift64 (Marsaglia, "Xorshift RNGs", 2003), each step
// of which waits for the one before.
func spinner() func() {
	x := uint64(88172645463325252)
	return func() {
		for range 1 << 16 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
	}
}

// streamer is work that is bound by memory: it copies one half of a buffer over the other,
// on through the whole of it, so that what it reads has left the caches since the last time.
func streamer(size int) func() {
	buffer := make([]byte, size)
	for i := range buffer { // not the shared zero page
		buffer[i] = byte(i)
	}
	from, to := buffer[:size/2], buffer[size/2:]
	at := 0
	return func() {
		end := min(at+chunk, len(from))
		copy(to[at:end], from[at:end])
		if at = end; at == len(from) {
			at, from, to = 0, to[:len(from)], from
		}
	}
}
