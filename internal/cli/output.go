package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memcost/internal/base/atomicfile"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/document"
	"memcost/internal/show/html"
	"memcost/internal/show/markdown"
	"memcost/internal/show/terminal"
)

// outputFlags are how an answer is shown, and where. A flag that says so has shows: true: it may be given on
// --resume, for it changes nothing of what is measured.
type outputFlags struct {
	format, out      string
	json, open, long bool
}

// output are the flags that say in which of some formats an answer is written, and where.
func (f *commonFlags) output(formats ...string) flags {
	var ends []string
	for _, end := range endings {
		if slices.Contains(formats, end.format) && end.name != ".htm" {
			ends = append(ends, end.name)
		}
	}
	return flags{
		{name: "format", takes: choice(&f.format, "format", formats), eg: "json", shows: true,
			help: "print `FORMAT`: " + strings.Join(formats, ", "), offers: offer(formats...)},
		{name: "json", takes: toggle(&f.json), shows: true, help: "print JSON",
			check: func() error { return f.settle(formats) }},
		{name: "output,o", takes: word(&f.out), shows: true,
			help: "write to `FILE`; without --format its ending says what (" + strings.Join(ends, ", ") + ")"},
		{name: "open", takes: toggle(&f.open), shows: true, help: "open the page in a browser"},
		{name: "long", takes: toggle(&f.long), shows: true, help: "print everything"},
	}
}

// endings tell the format of a file by its name.
var endings = []struct{ name, format string }{{".html", "html"}, {".htm", "html"}, {".md", "md"}, {".csv", "csv"},
	{".json", "json"}, {".sarif", "sarif"}, {".txt", "text"}}

// settle finds the format that --format, --json and the ending of -o ask for, "" where none of
// them is given.
func (f *commonFlags) settle(formats []string) error {
	advice := "say it with --format: " + strings.Join(formats, ", ")
	switch {
	case f.json && f.format != "" && f.format != "json":
		return hint.Usage("leave one of them out", "--json and --format %s contradict each other", f.format)
	case f.json:
		f.format = "json"
	case f.format == "" && f.out == "-":
		if !slices.Contains(formats, "text") {
			return hint.Usage(advice, "-o - is standard output, and its format is not said")
		}
		f.format = "text"
	case f.format == "" && f.out != "":
		for _, end := range endings {
			if strings.EqualFold(filepath.Ext(f.out), end.name) {
				f.format = end.format
			}
		}
		if !slices.Contains(formats, f.format) {
			return hint.Usage(advice, "-o %s: its ending names no format", f.out)
		}
	}
	return nil
}

// pageInFile refuses --open where the page would not be written to a file.
func (f *commonFlags) pageInFile() error {
	if f.open && (f.format != "html" || f.out == "") {
		return hint.Usage("name the page: -o page.html --open",
			"--open shows the page, and none would be written to a file")
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

// Style is how text looks on standard output.
func (a *App) Style(long bool) terminal.Style {
	_, width := isTerminal(a.Stdout)
	return terminal.Style{Color: useColor(a.Stdout), Width: width, Long: long}
}

// page writes a page and says where it is; false if it could not be written. The samples are safe by then,
// and the page can be made at any time: that is a warning. again is the command that makes it.
func (a *App) page(path string, d *document.Document, again string) bool {
	err := writeInFolder(path, func(w io.Writer) error { return html.Write(w, d) })
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

// Output writes to a file, whole or not at all, or to standard output: "" and "-".
func (a *App) Output(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(a.Stdout)
	}
	return writeWhole(path, write)
}

// writeWhole writes a file that the user named, and that is never seen half.
func writeWhole(path string, write func(io.Writer) error) error {
	return reportError(path, atomicfile.Write(path, write))
}

// writeInFolder is writeWhole of a file that memcost names, in a folder that somebody else may have made: a link in its
// place is replaced.
func writeInFolder(path string, write func(io.Writer) error) error {
	return reportError(path, atomicfile.WriteIn(filepath.Dir(path), filepath.Base(path), write))
}

func reportError(path string, err error) error {
	if err != nil {
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
