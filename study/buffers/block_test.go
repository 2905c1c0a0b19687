package buffers

import (
	"fmt"
	"io/ioutil"
	"os"
	"path/filepath"
	"testing"
)

// warmUp is the number of operations before the timing: they fill the pool, and grow the
// stack.
const warmUp = 8

var blockSizes = []int{1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10,
	512 << 10, 1 << 20}

// benchCase is one benchmark with its key=value parameters.
type benchCase struct {
	io, from string
	size     int
	m        *mover
	do       place
}

func (c benchCase) name() string { return fmt.Sprintf("io=%s/from=%s/size=%d", c.io, c.from, c.size) }

// work does the operation in a loop. The blocks of from=stack are in frames below the
// loop's, so that a collection may halve the stack between two operations; with the few
// bytes of the os package there is one in some 16,000.
func (c benchCase) work(n int, start func()) error {
	for i := 0; i < warmUp; i++ {
		c.do(c.m)
	}
	start()
	for i := 0; i < n; i++ {
		c.do(c.m)
	}
	return c.m.err
}

// blockCases returns all cases; movers has a mover for each value of io.
func blockCases(movers map[string]*mover) []benchCase {
	var cases []benchCase
	onStack := stackPlaces()
	for _, io := range []string{"file", "none"} {
		for _, size := range blockSizes {
			pool := newPool(size)
			for _, p := range []struct {
				from string
				do   place
			}{{"pool", fromPool(pool)}, {"pool-cleared", fromPoolCleared(pool)}, {"stack", onStack[size]},
				{"heap", fromHeap(size)}} {
				cases = append(cases, benchCase{io, p.from, size, movers[io], p.do})
			}
		}
	}
	return cases
}

// content returns the bytes that the operations read: none of them is 0, as in cleared
// memory.
func content() []byte {
	text := make([]byte, fileSize)
	for i := range text {
		text[i] = byte(1 + i%255)
	}
	return text
}

// makeMovers writes the file that io=file reads to a new folder, which the caller
// removes. The output goes to the null device when to is "".
func makeMovers(to string) (movers map[string]*mover, dir string, err error) {
	if to == "" {
		to = os.DevNull
	}
	if dir, err = ioutil.TempDir("", "buffers"); err != nil {
		return nil, "", err
	}
	from := filepath.Join(dir, "input")
	err = ioutil.WriteFile(from, content(), 0600)
	return map[string]*mover{"file": {from: from, to: to}, "none": {content: content()}}, dir, err
}

// BenchmarkBlock takes two blocks from somewhere, reads a small file into one,
// copies it whole to the other, and writes what was read to the null device
// (io=file, as published), or does the same from memory to nowhere (io=none).
//
// The os package makes the allocations of io=file: on Linux eight up to Go 1.14,
// and six since; TestAllocations counts them. A guard on their number would be
// wrong elsewhere, and on their bytes everywhere, because they depend on the length
// of the file's path. That no block is among them is guarded.
//
//memcost:full -size:(4096 OR 8192 OR 16384 OR 32768 OR 65536 OR 1048576)
//memcost:expect io:none -from:heap allocs/op == 0
//memcost:expect io:none from:heap allocs/op == 2
//memcost:expect -from:heap B/op < size
//memcost:expect from:heap B/op >= size
//memcost:expect from:stack stays-on-stack stack1K, stack2K, stack4K, stack8K, stack16K, stack32K, stack64K,
//memcost:more stack128K, stack256K, stack512K, stack1M
//memcost:claim D10-equal io:file from:stack size:4096 / io:file from:pool size:4096 in 0.97..1.03
//memcost:more # A pooled buffer and one on the stack cost the same at 4 KiB, within 3%
//memcost:claim D10-wins io:file from:stack size:(8192 OR 16384 OR 32768)
//memcost:more / io:file from:pool size:(8192 OR 16384 OR 32768) > 1 for every size
//memcost:more # A pooled buffer is faster than one on the stack from 8 to 32 KiB
//memcost:claim D10-gains io:file from:stack size:32768 / io:file from:pool size:32768 >= 1.1
//memcost:more # A buffer on the stack costs at least 1.1 times a pooled one at 32 KiB, for the pool gains as
//memcost:more blocks grow
//memcost:claim D11-zeroing io:file from:stack size:(4096 OR 8192 OR 16384 OR 32768) / io:file from:pool-cleared
//memcost:more size:(4096 OR 8192 OR 16384 OR 32768) in 0.95..1.05 for every size
//memcost:more # A pooled buffer that is cleared costs what one on the stack does, within 5%: the zeroing makes the
//memcost:more difference
//memcost:claim D11-share [published: 90 + 30 ms of 1.25 s] io:file from:pool size:32768
//memcost:more / io:file from:stack size:32768 in 0.88..0.93
//memcost:more # A pooled buffer takes 88 to 93% of the time of one on the stack at 32 KiB
//memcost:claim D11-memory [own] io:none from:stack size:(4096 OR 8192 OR 16384 OR 32768) / io:none from:pool-cleared
//memcost:more size:(4096 OR 8192 OR 16384 OR 32768) in 0.95..1.05 for every size
//memcost:more # A pooled buffer that is cleared costs what one on the stack does without system calls, too, within 5%
//memcost:claim pool-alone [own] io:none from:stack / io:none from:pool > 1 for every size
//memcost:more # A pooled buffer is faster than one on the stack at every size when only memory is used
//memcost:claim pool-large [own] io:file from:stack size:1048576 / io:file from:pool size:1048576 > 1.5
//memcost:more # A buffer on the stack costs at least 1.5 times a pooled one at 1 MiB, around the system calls
func BenchmarkBlock(b *testing.B) {
	movers, dir, err := makeMovers("")
	defer os.RemoveAll(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range blockCases(movers) {
		c := c
		b.Run(c.name(), func(b *testing.B) { measure(b, c.work) })
	}
}
