package place

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// A folder of a file system without hard links does what others do: one of many is first, and what it wrote is whole.
func TestFolderWithoutLinks(t *testing.T) {
	d, err := newFolder(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	d.link = func(_ *os.Root, old, name string) error {
		return &os.LinkError{Op: "link", Old: old, New: name, Err: syscall.EPERM}
	}
	p := &Place{Name: d.dir, store: d}
	readAndWrite(t, p)
	var all sync.WaitGroup
	var first atomic.Int32
	for i := range 8 {
		all.Go(func() {
			err := p.WriteNew(t.Context(), "a/one", fmt.Append(nil, "whole ", i))
			if err == nil {
				first.Add(1)
			} else if !errors.Is(err, ErrThere) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if data, err := p.Read(t.Context(), "a/one"); first.Load() != 1 || err != nil || len(data) != len("whole 1") {
		t.Errorf("%d were first, and there is %q, %v", first.Load(), data, err)
	}
}
