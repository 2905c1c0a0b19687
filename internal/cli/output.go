package cli

import (
	"io"

	"memcost/internal/front"
	"memcost/internal/text"
)

// An output is where a report goes.
type output struct {
	io.Writer
	file bool
}

func (w *output) style(a *app, long bool) text.Style {
	if w.file {
		return text.Style{Long: long}
	}
	return a.style(long)
}

// output writes to a file, whole or not at all, or to standard output.
func (a *app) output(path string, write func(*output) error) error {
	if path == "" {
		return write(&output{a.stdout, false})
	}
	return front.WriteWhole(path, func(w io.Writer) error { return write(&output{w, true}) })
}

func (a *app) style(long bool) text.Style {
	_, width := front.IsTerminal(a.stdout)
	return text.Style{Color: front.UseColor(a.stdout), Width: width, Long: long}
}
