package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"memcost/internal/base/atomicfile"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/document"
	"memcost/internal/measure/session"
	"memcost/internal/show/html"
	"memcost/internal/show/markdown"
	"memcost/internal/show/terminal"
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

// Style is how text looks on standard output.
func (a *App) Style(long bool) terminal.Style {
	_, width := isTerminal(a.Stdout)
	return terminal.Style{Color: useColor(a.Stdout), Width: width, Long: long}
}

// page writes a page and says where it is; false if it could not be written. The samples are safe by then,
// and the page can be made at any time: that is a warning. again is the command that makes it.
func (a *App) page(path string, d *document.Document, again string) bool {
	err := writeWhole(path, func(w io.Writer) error { return html.Write(w, d) })
	if err != nil {
		fmt.Fprintf(a.Stderr, "warning: %v; write it elsewhere with: %s -o FILE.html\n", err, again)
	}
	return err == nil
}

// Open opens a page in a browser, where there is one.
func (a *App) Open(path string) {
	if err := openPage(path); err != nil {
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

// Output writes to a file, whole or not at all, or to standard output: "" and "-".
func (a *App) Output(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(a.Stdout)
	}
	return writeWhole(path, write)
}

// writeWhole writes a file that is never seen half.
func writeWhole(path string, write func(io.Writer) error) error {
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("writing the report %s: %w", path, err)
	}
	return nil
}

// writeJSON writes a value for people and programs: indented, and < as it is.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// openPage shows a page in the user's browser.
func openPage(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("opening the report: %w", err)
	}
	c := proc.Cmd{Path: "xdg-open", Args: []string{abs}}
	switch runtime.GOOS {
	case "darwin":
		c.Path = "open"
	case "windows":
		c.Path, c.Args = "rundll32", []string{"url.dll,FileProtocolHandler", abs}
	}
	if _, err := proc.LookPath(c.Path, os.Environ()); err != nil {
		return hint.With("open it yourself: "+abs, errors.New("opening the report (--open): this machine has no "+
			c.Path))
	}
	if err := new(proc.Runner).Detach(c); err != nil {
		return hint.With("open it yourself: "+abs, fmt.Errorf("opening the report (--open): %w", err))
	}
	return nil
}

// A said is what a command says: typed, which is what --json prints, and as blocks.
type said struct {
	json     any
	document func() *document.Document
	page     func() *document.Document                 // nil: the document is the page, too
	text     func(w io.Writer, s terminal.Style) error // nil: the document as it is
	own      func(w io.Writer, format string) error    // the formats that the command alone has
}

// html returns the page.
func (x said) html() *document.Document {
	if x.page != nil {
		return x.page()
	}
	return x.document()
}

// write writes it in a format.
func (x said) write(w io.Writer, format string, s terminal.Style) error {
	switch format {
	case "json":
		return writeJSON(w, x.json)
	case "html":
		return html.Write(w, x.html())
	case "md":
		return markdown.Write(w, x.document(), markdown.Options{})
	case "", "text":
		if x.text != nil {
			return x.text(w, s)
		}
		return terminal.Write(w, x.document(), s)
	}
	return x.own(w, format)
}

// show writes what a command says where its flags ask for it, and in their format.
func (f *commonFlags) show(a *App, x said) error {
	style := terminal.Style{Long: f.long}
	if f.out == "" || f.out == "-" {
		style = a.Style(f.long)
	}
	return a.Output(f.out, func(w io.Writer) error { return x.write(w, f.format, style) })
}

// showFile is show of a command that has no folder for its page: --open shows the file of -o.
func (f *commonFlags) showFile(a *App, x said) error {
	if err := f.show(a, x); err != nil || !f.open || f.out == "" {
		return err
	}
	return openPage(f.out)
}

// showFolder is show of what a folder holds: its page is written into it. again is the command that shows
// it once more.
func (f *commonFlags) showFolder(a *App, x said, dir, again string) error {
	if err := f.show(a, x); err != nil {
		return err
	}
	if path := filepath.Join(dir, pageName); a.page(path, x.html(), again+" "+dir) {
		fmt.Fprintf(a.Stderr, "report: %s\n", path)
		if f.open {
			a.Open(path)
		}
	}
	return nil
}
