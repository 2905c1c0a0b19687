package stacklog

import (
	"errors"
	"io"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/binary"
)

var errPIE = errors.New("it is position independent: its log has addresses that are not the file's")

// Symbols reads the function table of a Go program (ELF, Mach-O or PE), which a
// stripped one has too, and gives the hook for Log.Symbolise. Of functions that
// were inlined it names the one they were inlined into. Programs that are loaded
// elsewhere than they were linked for (-buildmode=pie) are refused.
func Symbols(program io.ReaderAt) (func(pc uint64) (function, file string, line int), error) {
	f, err := binary.OpenSymbols(program)
	if err != nil {
		return nil, err
	}
	if f.PIE {
		return nil, hint.New("build with -buildmode=exe", "reading the function table of the program: %w", errPIE)
	}
	return f.Line, nil
}
