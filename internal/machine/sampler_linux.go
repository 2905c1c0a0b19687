package machine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// source is the open files; one that does not exist, or that the kernel refuses to
// open (a kernel booted with psi=0), is nil.
type source struct {
	stat, cpu, memory, io *os.File

	// The first line of /proc/stat has at most 11 words, and a pressure file two
	// lines of some 60 bytes.
	buf *[512]byte
}

func openSource(root string) (source, error) {
	if root == "" {
		root = "/"
	}
	if _, err := os.ReadDir(filepath.Join(root, "proc")); err != nil {
		return source{}, fmt.Errorf("opening the counters of the machine below %s: %w", root, err)
	}
	open := func(rel string) *os.File {
		f, err := os.Open(filepath.Join(root, rel))
		if err != nil {
			return nil
		}
		return f
	}
	return source{
		stat:   open("proc/stat"),
		cpu:    open("proc/pressure/cpu"),
		memory: open("proc/pressure/memory"),
		io:     open("proc/pressure/io"),
		buf:    new([512]byte),
	}, nil
}

func (s source) read(snap *Snapshot) error {
	b, err := s.pread(s.stat)
	if errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("reading the machine's counters: %w", err)
	}
	if busy, idle, steal, ok := parseStat(b); ok {
		snap.Busy, snap.Idle, snap.Steal = busy, idle, steal
	}
	s.pressure(s.cpu, &snap.PSICPU)
	s.pressure(s.memory, &snap.PSIMemory)
	s.pressure(s.io, &snap.PSIIO)
	return nil
}

func (s source) pressure(f *os.File, seconds *float64) {
	b, err := s.pread(f)
	if err != nil {
		return
	}
	if v, ok := parsePSI(b); ok {
		*seconds = v
	}
}

// pread reads a file from its start, where the kernel makes its content anew.
func (s source) pread(f *os.File) ([]byte, error) {
	if f == nil {
		return nil, nil
	}
	n, err := f.ReadAt(s.buf[:], 0)
	if err == io.EOF {
		err = nil
	}
	return s.buf[:n], err
}

func (s source) close() error {
	var errs []error
	for _, f := range []*os.File{s.stat, s.cpu, s.memory, s.io} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
