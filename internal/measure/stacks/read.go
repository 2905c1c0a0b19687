package stacks

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"memcost/internal/gotool/stacklog"
)

// Read reads a log or a trace that there is already: of a program, whose binary
// names the functions of a log unless it is "". The name is of the file. A reading
// that failed in its middle is a run that has Failed.
func Read(in io.Reader, name, binary string) (*Run, error) {
	r := &Run{Name: name, Ended: "read"}
	buffered := bufio.NewReaderSize(in, 64<<10)
	head, _ := buffered.Peek(16)
	var err error
	if bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head, []byte(" trace\x00")) {
		r.Log, err = stacklog.ReadTrace(buffered, stacklog.Options{})
	} else {
		r.Log, err = stacklog.Read(buffered, stacklog.Options{})
	}
	switch {
	case r.Log == nil:
		return nil, err
	case r.Log.Own == 0 && err != nil:
		return nil, plainError(err)
	case r.Log.Own == 0:
		return nil, fmt.Errorf("%w\nhint: a log is what --keep-log FILE keeps of a program, or what a runtime with "+
			"stackDebug = 1 "+
			"writes to standard error; a trace needs GODEBUG=traceallocfree=1", r.Log.Warnings[0])
	}
	if r.Log.Partial {
		r.note("the trace has no mark at its end: the program died, or ended it itself (trace.Stop). What may have " +
			"come after is in no figure, and there is no advice")
	}
	r.fail(err)
	if binary != "" {
		r.symbolise(binary)
	}
	return r, nil
}
