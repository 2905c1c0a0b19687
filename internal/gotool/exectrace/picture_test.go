package exectrace

import (
	"math"
	"testing"
	"time"
)

// The bars of a picture leave nothing out.
func TestBarsAreWhole(t *testing.T) {
	trace := &Trace{Span: time.Second, ProcTime: ProcTime{Total: 10, User: 4, Syscall: 1, Assist: 1, Idle: 4},
		User: Group{Exec: 3, SchedWait: 1}}
	for _, b := range trace.Picture().Data.(*picture).Bars {
		sum := 0.0
		for _, p := range b.Parts {
			sum += p.Share
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("the parts of %q are %v of it", b.Title, sum)
		}
	}
}
