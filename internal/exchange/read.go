package exchange

import (
	"bufio"
	"fmt"
	"io"

	"golang.org/x/perf/benchfmt"
)

// Read streams the results of r, a file in format f, to fn. name is the file's name for
// messages. The Result is fn's to keep: no later one shares its memory.
//
// The file's information on the machine, the program or the commit becomes file
// configuration of every result. Values are in base units (sec/op, B/op, B/sec,
// allocs/op, ...); a time also holds its nanoseconds as OrigValue, so that
// benchfmt.Writer prints ns/op.
//
// A damaged record is skipped and named in the warnings, and so is a value that is null,
// not finite, or a negative time. err is set when the file is not in the format, holds
// no result at all, could not be read, or fn returned an error, which is returned as it
// is.
func Read(r io.Reader, name string, f Format, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	rd := &reading{name: name, fn: fn}
	br := bufio.NewReaderSize(r, 64<<10)
	if bom, _ := br.Peek(len(byteOrderMark)); string(bom) == byteOrderMark {
		br.Discard(len(bom))
	}
	if _, err := br.Peek(1); err == io.EOF {
		return nil, fmt.Errorf("reading %s: the file is empty", name)
	}
	switch f {
	case Google:
		err = readGoogle(rd, br)
	case Action:
		err = readAction(rd, br)
	case Bencher:
		err = readBencher(rd, br)
	case CSV:
		err = readCSV(rd, br)
	default:
		return nil, fmt.Errorf("reading %s: format %q is not one that is read here (%v are)", name, f, formats[1:])
	}
	return rd.finish(err)
}

const byteOrderMark = "\ufeff"
