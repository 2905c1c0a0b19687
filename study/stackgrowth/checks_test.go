package stackgrowth

import (
	"go/build"
	"runtime"
	"testing"
)

// stackBytes returns how many bytes of stack each of n goroutines has that f has started
// and left waiting. As many are started before those that count, and use up the stacks
// that dead goroutines and smaller stacks have left behind.
func stackBytes(n int, f func(wait func())) int {
	var before, after runtime.MemStats
	first := park(n, f)
	runtime.ReadMemStats(&before)
	second := park(n, f)
	runtime.ReadMemStats(&after)
	first.leave()
	second.leave()
	return (int(after.StackInuse) - int(before.StackInuse)) / n
}

// near reports whether a mean is of stacks of that size: a size less or more
// would be half or twice. Spans that are used in part add a little.
func near(mean, size int) bool { return mean > size*3/4 && mean < size*3/2 }

func skipOtherSizes(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "freebsd" {
		t.Skip("the system takes a part of each stack, which starts larger than 2 KiB")
	}
}

// many returns a number of goroutines of that stack size that is large enough to stand
// out from the runtime's other memory, and small enough for a small machine.
func many(size int) int {
	if n := 16 << 20 / size; n < 1024 {
		return n
	}
	return 1024
}

// A call by either way leads to the stack that its case says.
func TestDoublings(t *testing.T) {
	skipOtherSizes(t)
	for name, by := range map[string]func(int) func(){"calls": byCalls, "frame": byFrame} {
		for k := 0; k <= deepest; k++ {
			call, size, got := by(k), smallest<<uint(k), 0
			if call == nil {
				continue
			}
			quietly(func() {
				got = stackBytes(many(size), func(wait func()) {
					call()
					wait()
				})
			})
			if !near(got, size) {
				t.Errorf("by=%s: after %d doublings a stack has %d bytes, want %d", name, k, got, size)
			}
		}
	}
}

// descend uses what need says, to within a frame.
func TestDescendDepth(t *testing.T) {
	for k := 1; k <= deepest; k++ {
		n, got := steps(need(k)), make(chan int)
		go func() {
			descend(n)
			got <- int(descend(0) - descend(n))
		}()
		if g, step := <-got, need(k)/n; g > need(k) || g < need(k)-2*step {
			t.Errorf("%d steps of descend take %d bytes, want %d and at most two frames less", n, g, need(k))
		}
	}
}

// Touching makes the variables of a frame be used, and so proves that they are
// there: nothing else would hold the compiler to the frame's size.
func TestFramesAreTouched(t *testing.T) {
	for k, f := range frames {
		called := 0
		f(true, func() { called++ })
		if called != 1 {
			t.Errorf("frame%d called inside %d times, want once", k, called)
		}
	}
}

// A collection halves the stacks of goroutines that use little, and leaves those
// alone that wait in held.
func TestCollectionShrinks(t *testing.T) {
	skipOtherSizes(t)
	for _, k := range []int{3, 5, 7} {
		call, size := byCalls(k), smallest<<uint(k)
		for _, c := range []struct {
			parked string
			hold   func(func())
			want   int
		}{{"shallow", shallow, size / 2}, {"deep", held(k), size}} {
			n, got := many(size), 0
			quietly(func() {
				var before, after runtime.MemStats
				crowd := park(n, func(wait func()) {
					call()
					c.hold(wait)
				})
				runtime.ReadMemStats(&before)
				runtime.GC()
				runtime.ReadMemStats(&after)
				crowd.leave()
				got = size - (int(before.StackInuse)-int(after.StackInuse))/n
			})
			if !near(got, c.want) {
				t.Errorf("parked=%s: after a collection a stack of %d bytes has %d, want %d", c.parked, size, got,
					c.want)
			}
		}
	}
}

// New stacks start larger beside deep ones, from Go 1.19 on, and not before.
func TestStartAdapts(t *testing.T) {
	skipOtherSizes(t)
	adapts := false
	for _, tag := range build.Default.ReleaseTags {
		adapts = adapts || tag == "go1.19"
	}
	for _, c := range []struct {
		peers  string
		hold   func(func())
		larger bool
	}{{"shallow", shallow, false}, {"deep", held(7), adapts}} {
		got := 0
		quietly(func() {
			peers := park(inFlight, c.hold)
			runtime.GC()
			got = stackBytes(1024, func(wait func()) { wait() })
			peers.leave()
		})
		want := smallest
		if c.larger {
			want = 64 << 10 // the average over peers and quietly's crowd, rounded up
		}
		if !near(got, want) {
			t.Errorf("peers=%s: a stack starts with %d bytes, want %d", c.peers, got, want)
		}
	}
}
