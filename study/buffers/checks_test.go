package buffers

import (
	"bytes"
	"go/build"
	"io/ioutil"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
)

// Every variant moves the same bytes: the file that is written holds what was
// read, once for each operation, and what io=none would write ends alike.
func TestVariantsMoveTheSameBytes(t *testing.T) {
	dir, err := ioutil.TempDir("", "buffers")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text := content()
	to := filepath.Join(dir, "output")
	movers, input, err := makeMovers(to)
	defer os.RemoveAll(input)
	if err != nil {
		t.Fatal(err)
	}
	const n = 3
	for _, c := range blockCases(movers) {
		os.Remove(to)
		c.m.sum = 0
		if err := c.work(n, func() {}); err != nil {
			t.Fatalf("%s: %v", c.name(), err)
		}
		if want := (n + warmUp) * (fileSize + int(text[fileSize-1])); c.m.sum != want {
			t.Errorf("%s: moved %d, want %d (bytes and the last of them)", c.name(), c.m.sum, want)
		}
		if c.io == "none" {
			continue
		}
		got, err := ioutil.ReadFile(to)
		if err != nil || !bytes.Equal(got, bytes.Repeat(text, n+warmUp)) {
			t.Errorf("%s: wrote %d bytes (%v), want the input %d times", c.name(), len(got), err, n+warmUp)
		}
	}
}

// The whole block is copied, and not only what was read.
func TestWholeBlockIsCopied(t *testing.T) {
	movers, dir, err := makeMovers("")
	defer os.RemoveAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	for io, m := range movers {
		in, out := bytes.Repeat([]byte{7}, 4096), make([]byte, 4096)
		m.move(in, out)
		want := append(content(), bytes.Repeat([]byte{7}, 4096-fileSize)...)
		if m.err != nil || !bytes.Equal(in, want) || !bytes.Equal(out, want) {
			t.Errorf("io=%s: a block of sevens with the file read into it did not arrive whole (%v)", io, m.err)
		}
	}
}

// A file that cannot be opened fails the benchmark instead of making it fast.
func TestFailureIsReported(t *testing.T) {
	missing := filepath.Join(os.TempDir(), "memcost-buffers", "missing")
	for _, m := range []*mover{{from: missing, to: os.DevNull}, {from: os.Args[0], to: missing}} {
		c := benchCase{io: "file", from: "stack", size: 4096, m: m, do: stack4K}
		if err := c.work(1, func() {}); !os.IsNotExist(err) {
			t.Errorf("from %s to %s: %v, want that it does not exist", m.from, m.to, err)
		}
	}
}

// The pool makes its two blocks in the first operation and never again; what was
// in them is still there, unless the variant clears them.
func TestPoolIsReused(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector sync.Pool drops objects at random")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a pool keeps objects per P
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, v := range []struct {
		name string
		of   func(*sync.Pool) place
		last byte
	}{{"pool", fromPool, 7}, {"pool-cleared", fromPoolCleared, 0}} {
		made := 0
		pool := &sync.Pool{New: func() interface{} {
			made++
			b := bytes.Repeat([]byte{7}, 4096)
			return &b
		}}
		do, m := v.of(pool), &mover{content: content()}
		for i := 0; i < 1000; i++ {
			do(m)
		}
		if made != 2 {
			t.Errorf("from=%s made %d blocks in 1000 operations, want 2", v.name, made)
		}
		for i := 0; i < 2; i++ {
			if b := *pool.Get().(*[]byte); b[4095] != v.last {
				t.Errorf("from=%s: a block that was made with 7 at its end has %d there, want %d", v.name, b[4095],
					v.last)
			}
		}
	}
}

// osAllocs returns how many objects the os package makes per operation of io=file.
func osAllocs() uint64 {
	for _, tag := range build.Default.ReleaseTags {
		if tag == "go1.15" {
			return 6
		}
	}
	return 8
}

// The blocks are where their names say, at every size.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector system calls make their buffers escape")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 100
	for _, c := range blockCases(map[string]*mover{"none": {content: content()},
		"file": {from: os.Args[0], to: os.DevNull}}) {
		var before, after runtime.MemStats
		if err := c.work(n, func() { runtime.ReadMemStats(&before) }); err != nil {
			t.Fatalf("%s: %v", c.name(), err)
		}
		runtime.ReadMemStats(&after)
		allocs, bytes := (after.Mallocs-before.Mallocs)/n, (after.TotalAlloc-before.TotalAlloc)/n
		var want, blocks uint64
		if c.from == "heap" {
			want, blocks = 2, 2*uint64(c.size)
		}
		if c.io == "file" {
			want += osAllocs()
		}
		if allocs != want && (c.io == "none" || runtime.GOOS == "linux") {
			t.Errorf("%s: %d allocs/op, want %d", c.name(), allocs, want)
		}
		// The os package's own objects are a few hundred bytes, and no size class
		// wastes an eighth.
		if bytes < blocks || bytes > blocks+blocks/8+800 {
			t.Errorf("%s: %d B/op, want %d and the os package's few", c.name(), bytes, blocks)
		}
	}
}
