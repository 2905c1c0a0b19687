//go:build goexperiment.arenas && go1.20

package arena

import (
	"arena"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
)

// childVar makes the test binary a child that uses freed memory. Its value selects how,
// see useAfterFree.
const childVar = "MEMCOST_USE_AFTER_FREE"

// chunk is the size of an arena's chunk, at most (userArenaChunkBytesMax in
// runtime/arena.go, Go 1.20 to 1.27).
const chunk = 8 << 20

// How the runtime names the mistake; and a build with -asan, which notices it first.
const (
	faulted   = "accessed data from freed user arena"
	sanitized = "AddressSanitizer: use-after-poison"
)

// useAfterFree frees an arena and then reads from it, and writes to it: the only
// object in it (small), or one in the first of several chunks (large).
//
// The collector is off. What is freed while it marks is made to fault later, when
// the next arena is freed after the marking, and its use is not noticed until then
// (freeUserArenaChunk in runtime/arena.go); without this, that happens here too.
func useAfterFree(which string) {
	debug.SetGCPercent(-1)
	a := arena.NewArena()
	p := arena.New[object](a)
	p.len = 42
	if which == "large" {
		for used := 0; used < 3*chunk; used += chunk / 8 {
			arena.MakeSlice[byte](a, 0, chunk/8)
		}
	}
	a.Free()
	fmt.Println("read", p.len)
	p.len++
	fmt.Println("wrote", p.len)
}

// child runs useAfterFree in a process of its own.
func child(t *testing.T, which string) (out string, err error) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), childVar+"="+which)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// Memory in a chunk that was full when its arena was freed cannot be used: the
// program ends, with the address and the place in its source.
func TestUseAfterFreeFaults(t *testing.T) {
	if which := os.Getenv(childVar); which != "" {
		useAfterFree(which)
		return
	}
	out, err := child(t, "large")
	if err == nil || strings.Contains(out, "read 42") {
		t.Fatalf("freed memory was read: %v\n%s", err, out)
	}
	said := strings.Contains(out, faulted) && strings.Contains(out, "faults_test.go")
	if !said && !strings.Contains(out, sanitized) {
		t.Errorf("the program does not say what was wrong, or where: %v\n%s", err, out)
	}
}

// In the last chunk of an arena, which goes on to the next arena, nothing
// prevents it; not until that chunk is full and freed as well. Then the value is
// still the object's own: the next arena goes on behind it. With a sanitizer, this
// ends the program too.
func TestUseAfterFreeOfTheLastChunk(t *testing.T) {
	if which := os.Getenv(childVar); which != "" {
		useAfterFree(which)
		return
	}
	out, err := child(t, "small")
	if err != nil && (strings.Contains(out, faulted) || strings.Contains(out, sanitized)) {
		return // better than what the runtime promises
	}
	if err != nil || !strings.Contains(out, "read 42\nwrote 43\n") {
		t.Errorf("neither a fault nor the object's own value: %v\n%s", err, out)
	}
}
