package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/catalog"
	"memcost/internal/exchange"
	"memcost/internal/hint"
	"memcost/internal/page"
	"memcost/internal/result"
	"memcost/internal/run"
	"memcost/internal/text"
	"memcost/published"
)

// pageName is the page of a run, in its folder.
const pageName = "report.html"

// Formats of results, for other tools; report's own are text, html, md and json.
func formatNames() []string {
	names := []string{"text", "html", "md", "json"}
	for _, f := range exchange.Formats() {
		names = append(names, string(f))
	}
	return names
}

// isSamples reports whether a format holds samples, and not the answer.
func isSamples(format string) bool {
	return format == string(exchange.Go) || format == string(exchange.Google)
}

// samples writes the samples of one run in another tool's format.
func (a *app) samples(runs []string, f *reportFlags) error {
	if len(runs) > 1 {
		return hint.Usage("give it one run at a time, or use --format csv", "--format %s holds the samples of one run, not of %d", f.format, len(runs))
	}
	if _, err := os.Stat(runs[0]); err != nil {
		return noRun(runs[0], err)
	}
	return a.output(f.out, func(w *output) error {
		return exchange.WriteSamples(w, exchange.Format(f.format), result.Samples(runs[0]))
	})
}

func readFile(name string, stdin io.Reader, o result.Options) (*result.Answer, error) {
	if name == "-" {
		return result.ReadFile("standard input", stdin, o)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the run: %w", err)
	}
	defer f.Close()
	return result.ReadFile(name, f, o)
}

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
	return writeWhole(path, func(w io.Writer) error { return write(&output{w, true}) })
}

// writeWhole writes a file so that it is never seen half: beside it first, then
// renamed. What is not a plain file (/dev/stdout, a link, a pipe) is written
// directly: a rename would put a file in its place.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	wrap := func(err error) error {
		var named *os.PathError // of the file beside it, which nobody asked for
		if errors.As(err, &named) {
			err = named.Err
		}
		if err != nil {
			err = fmt.Errorf("writing the report %s: %w", path, err)
		}
		return err
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return wrap(err)
		}
		err = write(f)
		return wrap(cmp.Or(err, f.Close()))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return wrap(err)
	}
	defer os.Remove(f.Name())
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return wrap(err)
}

func writePage(path string, answers []*result.Answer) error {
	return writeWhole(path, func(w io.Writer) error { return page.Write(w, answers) })
}

func render(w io.Writer, answers []*result.Answer, format string, style text.Style) error {
	switch format {
	case "json":
		return writeJSON(w, answers)
	case "html":
		return page.Write(w, answers)
	case "md":
		return text.Markdown(w, answers)
	case "text":
		return text.Write(w, answers, style)
	}
	return exchange.WriteRows(w, exchange.Format(format), result.Rows(answers))
}

// reportOptions are the options of every answer: the shipped studies, and the
// published figures that the flag asks for.
func reportOptions(which string) (result.Options, error) {
	var o result.Options
	sets, err := result.ReadPublished(published.FS)
	if err != nil {
		return o, err
	}
	if sets, err = choosePublished(sets, which); err != nil {
		return o, err
	}
	o.Published, o.Studies = result.Of(sets), shippedStudy
	return o, nil
}

func choosePublished(sets []result.DataSet, which string) ([]result.DataSet, error) {
	switch which {
	case "all":
		return sets, nil
	case "none":
		return nil, nil
	}
	var out []result.DataSet
	var names []string
	for _, s := range sets {
		short, _, _ := strings.Cut(s.Machine, " (")
		if strings.EqualFold(which, s.Name) || strings.EqualFold(which, s.Machine) || strings.EqualFold(which, short) {
			out = append(out, s)
		}
		names = append(names, s.Name)
	}
	if len(out) == 0 {
		advice := "there are: all, none, " + strings.Join(names, ", ")
		if near := catalog.Nearest(which, names); near != "" {
			advice = "did you mean " + near + "? " + advice
		}
		return nil, hint.Usage(advice, "--published %q: there is no such data set", which)
	}
	return out, nil
}

func completePublished(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := []string{"all", "none"}
	if sets, err := result.ReadPublished(published.FS); err == nil {
		for _, s := range sets {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// shippedStudy returns a shipped study by its name, or nil.
func shippedStudy(name string) *catalog.Study {
	st, err := run.Study(name)
	if err != nil {
		return nil // a name of someone else's
	}
	return st
}

func (a *app) style(long bool) text.Style {
	_, width := isTerminal(a.stdout)
	return text.Style{Color: useColor(a.stdout), Width: width, Long: long}
}
