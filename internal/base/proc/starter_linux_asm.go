//go:build amd64 || arm64

package proc

import (
	"bytes"
	"runtime"
	"unsafe"
)

// startAndWait is never called: its machine code is what the starter runs.
func startAndWait()

// startAndWaitAt returns the address of it.
func startAndWaitAt() uintptr

// starterBytes returns the machine code and what ELF calls this processor; nothing where there is none.
func starterBytes() (code []byte, machine uint16) {
	const most = 2048
	from := unsafe.Slice((*byte)(codeAt(startAndWaitAt())), most)
	end := bytes.Index(from, []byte("MC-END-!"))
	if end < 0 {
		return nil, 0
	}
	if runtime.GOARCH == "arm64" {
		return from[:end], 183
	}
	return from[:end], 62
}

// codeAt makes a pointer of the address of code, which the collector neither moves nor frees.
func codeAt(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }
