package sample

import (
	"context"
	"errors"
	"os"
	"time"

	"memcost/internal/base/proc"
)

// slicesVar makes a test binary with the changed testing package take turns.
const slicesVar = "MEMCOST_SLICES"

// A process is one of several processes that take turns. A turn is all that a process does before
// its first wait, or between two. Only one process runs at any time; the others wait in a read.
// The changed testing package waits before each pass that is timed, behind runtime.GC, until a
// byte says that it is its turn.
type process struct {
	give  *os.File // a byte written here is its turn
	over  *os.File // a byte read here is the end of its turn
	ends  []*os.File
	said  chan byte     // which was read
	ended chan struct{} // the process has ended
	stop  context.CancelFunc

	res   proc.Result // when ended
	err   error
	wall  time.Duration // of its turns
	late  bool          // it was stopped for its time limit
	timed []float64     // the part of each turn that was timed
}

// errStopped is why a process is ended before its end.
var errStopped = errors.New("stopped with the others")

// startProcess starts a process; its first turn has begun. The caller closes it.
func startProcess(ctx context.Context, r *proc.Runner, cmd proc.Cmd) (*process, error) {
	p := &process{said: make(chan byte, 1), ended: make(chan struct{})}
	read, give, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	over, write, err := os.Pipe()
	if err != nil {
		read.Close()
		give.Close()
		return nil, err
	}
	p.give, p.over, p.ends = give, over, []*os.File{read, write}
	cmd.Files, cmd.Timeout = p.ends, 0
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], slicesVar+"=1")
	limited, cancel := context.WithCancelCause(ctx)
	p.stop = func() { cancel(errStopped) }
	go func() {
		defer close(p.ended)
		p.res, p.err = r.Run(limited, cmd)
	}()
	go func() {
		var b [1]byte
		for {
			if n, err := over.Read(b[:]); n != 1 || err != nil {
				return
			}
			select {
			case p.said <- b[0]:
			case <-p.ended:
				return
			}
		}
	}()
	return p, nil
}

// close ends the process, if it runs, and waits for its end.
func (p *process) close() {
	p.stop()
	<-p.ended
	p.give.Close()
	p.over.Close()
	for _, f := range p.ends {
		f.Close()
	}
}

// goOn begins the process's next turn. Before its loop, part of the room that the heap has until
// the next collection is filled, in 256ths.
func (p *process) goOn(part byte) error {
	_, err := p.give.Write([]byte{part})
	return err
}

// wait returns when the turn is over, and reports whether another can follow. A process whose
// turns take longer than the limit together is stopped.
func (p *process) wait(limit time.Duration) (more bool) {
	began := time.Now()
	defer func() { p.wall += time.Since(began) }()
	var timeout <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit - p.wall)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case timed := <-p.said:
		p.timed = append(p.timed, float64(timed)/255)
		return true
	case <-p.ended:
		return false
	case <-timeout:
		p.late = true
		p.stop()
		<-p.ended
		return false
	}
}
