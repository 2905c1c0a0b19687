package cli

import (
	"io"

	"memcost/internal/show/text"
)

// An Output is where a report goes.
type Output struct {
	io.Writer
	file bool
}

// Style is how text looks there.
func (w *Output) Style(a *App, long bool) text.Style {
	if w.file {
		return text.Style{Long: long}
	}
	return a.Style(long)
}

// Output writes to a file, whole or not at all, or to standard output: "" and "-".
func (a *App) Output(path string, write func(*Output) error) error {
	if path == "" || path == "-" {
		return write(&Output{a.Stdout, false})
	}
	return WriteWhole(path, func(w io.Writer) error { return write(&Output{w, true}) })
}
