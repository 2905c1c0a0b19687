package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal, and its width.
func isTerminal(w io.Writer) (bool, int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return true, width
}

// isTerminalFile reports whether a file that is read is a terminal.
func isTerminalFile(fd uintptr) bool { return term.IsTerminal(int(fd)) }

// useColor follows no-color.org: colours on a terminal only, and not when
// NO_COLOR is set to anything.
func useColor(w io.Writer) bool {
	tty, _ := isTerminal(w)
	return tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
