package cli

import (
	"errors"
	"os"
	"path/filepath"

	"memcost/internal/base/hint"
	"memcost/internal/exchange"
	"memcost/internal/report/result"
	"memcost/internal/show/text"
)

// reportFlags are the flags of memcost report as they were given.
type reportFlags struct {
	format    string
	json      bool
	out       string
	published string
	open      bool
	long      bool
	gate      string
	joined    bool // a run is a place whose shards were joined
}

func (f *reportFlags) check() (err error) {
	if f.format, err = ChooseFormat(f.format, f.out, f.json, FormatNames()); err != nil {
		return err
	}
	if f.open && f.format != "" && (f.format != "html" || f.out == "") {
		return hint.Usage("leave --format out, or name the page: --open -o page.html",
			"--open shows the page, and none would be written to a file")
	}
	return nil
}

// shown prints the answers, and writes their page.
func shown(a *App, runs []string, answers []*result.Answer, f *reportFlags) error {
	if f.format == "" {
		page := reportPage(runs, f.joined)
		paged, err := a.Show(answers, "text", View{Style: a.Style(f.long), Page: page})
		switch {
		case err != nil || !f.open:
			return err
		case !paged:
			return errors.New("there is no page to open")
		}
		return OpenPage(page)
	}
	return rendered(a, answers, f)
}

// shownStudies prints studies of the answers in full.
func shownStudies(a *App, answers []*result.Answer, f *reportFlags) error {
	if f.format == "" || f.format == "text" {
		return a.Output(f.out, func(w *Output) error { return text.Write(w, answers, w.Style(a, f.long)) })
	}
	return rendered(a, answers, f)
}

// rendered writes the answers in the format that was asked for.
func rendered(a *App, answers []*result.Answer, f *reportFlags) error {
	if err := a.Output(f.out, func(w *Output) error {
		return Render(w, answers, f.format, View{Style: w.Style(a, f.long)})
	}); err != nil {
		return err
	}
	if f.open {
		return OpenPage(f.out)
	}
	return nil
}

// reportPage returns where the page of runs belongs; a folder of joined shards is removed.
func reportPage(runs []string, joined bool) string {
	if info, err := os.Stat(runs[0]); len(runs) == 1 && !joined && err == nil && info.IsDir() {
		return filepath.Join(runs[0], PageName)
	}
	return "memcost-report.html"
}

// writeSamples writes the samples of one run in another tool's format.
func writeSamples(a *App, runs []string, f *reportFlags) error {
	if len(runs) > 1 {
		return hint.Usage("give it one run at a time, or use --format csv",
			"--format %s holds the samples of one run, not of %d", f.format, len(runs))
	}
	if _, err := os.Stat(runs[0]); err != nil {
		return NoRun(runs[0], err)
	}
	return a.Output(f.out, func(w *Output) error {
		return exchange.WriteSamples(w, exchange.Format(f.format), result.Samples(runs[0]))
	})
}

// isSamples reports whether a format holds samples, and not the answer.
func isSamples(format string) bool {
	return format == string(exchange.Go) || format == string(exchange.Google)
}
