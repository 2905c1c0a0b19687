package proc

import (
	"sync"
	"time"
)

// stopper ends a group: at once, or by an interrupt (as Ctrl-C), a termination
// and the end, each a grace after the other.
type stopper struct {
	group    *group
	grace    time.Duration
	stopping func()

	mu    sync.Mutex
	timer *time.Timer
	asked bool
	over  bool // the process has ended: its number may soon belong to another
}

func (s *stopper) stop() error {
	s.mu.Lock()
	s.asked = true
	s.mu.Unlock()
	if s.stopping != nil {
		s.stopping()
	}
	if s.grace <= 0 {
		return s.group.kill()
	}
	s.step(0)
	return nil
}

func (s *stopper) step(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	switch n {
	case 0:
		s.group.interrupt()
	case 1:
		s.group.terminate()
	default:
		s.group.kill()
		return
	}
	s.timer = time.AfterFunc(s.grace, func() { s.step(n + 1) })
}

// end records that the process has ended, and reports whether memcost had asked it to
// end.
func (s *stopper) end() (asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.asked
}
