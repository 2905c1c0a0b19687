package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"memcost/internal/base/hint"
	"memcost/internal/measure/session"
	"memcost/internal/report/result"
	"memcost/internal/show/text"
)

// An App is what every command needs: how it was called, what it reads, and where it writes.
type App struct {
	Version        string
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Origin says who begins a run.
func (a *App) Origin() session.Origin {
	return session.Origin{Version: a.Version, Command: append([]string{"memcost"}, a.Args...)}
}

// Tools returns what builds and runs programs, telling p how that goes.
func (a *App) Tools(p *Progress, verbose bool) (*session.Tools, error) {
	var trace io.Writer
	if verbose {
		trace = a.Stderr
	}
	return session.NewTools(session.Log{Note: p.Note, Step: p.Step, Sample: p.Sample}, trace)
}

// Style is how text looks on standard output.
func (a *App) Style(long bool) text.Style {
	_, width := IsTerminal(a.Stdout)
	return text.Style{Color: UseColor(a.Stdout), Width: width, Long: long}
}

// Show prints answers as text or JSON beside their page, which is written first, so that the text
// names a page that there is; false if it could not be written. The samples are safe by then, and
// memcost report makes the page at any time: that is a warning.
func (a *App) Show(answers []*result.Answer, format string, v View) (paged bool, err error) {
	if err := WritePage(v.Page, answers); err != nil {
		fmt.Fprintf(a.Stderr, "warning: %v; write it elsewhere with: memcost report RUN -o FILE.html\n", err)
		v.Page = ""
	}
	if err := Render(a.Stdout, answers, format, v); err != nil {
		return v.Page != "", err
	}
	if v.Page != "" && !v.named(answers, format) {
		fmt.Fprintf(a.Stderr, "report: %s\n", v.Page)
	}
	return v.Page != "", nil
}

// PageOf writes the page of a run whose answer was shown, says where it is, and opens it.
func (a *App) PageOf(dir string, ans *result.Answer, open bool) {
	path := filepath.Join(dir, PageName)
	if err := WritePage(path, []*result.Answer{ans}); err != nil {
		fmt.Fprintf(a.Stderr, "warning: %v; make it with: memcost report %s -o FILE.html\n", err, dir)
		return
	}
	fmt.Fprintf(a.Stderr, "report: %s\n", path)
	if open {
		a.Open(path)
	}
}

// Open opens a page in a browser, where there is one.
func (a *App) Open(path string) {
	if err := OpenPage(path); err != nil {
		fmt.Fprintln(a.Stderr, "warning:", err)
	}
}

// Lines prints what a search would do.
func (a *App) Lines(lines []string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(a.Stdout, l); err != nil {
			return err
		}
	}
	return nil
}

// ErrInterrupted returns the error of a command that was interrupted while it built or prepared.
func ErrInterrupted() error {
	return hint.With("what was built is kept, so that the next run begins sooner",
		errors.New("interrupted before the first sample; nothing was measured yet"))
}
