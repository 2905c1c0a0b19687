package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/report/result"
	"memcost/internal/show/diffpage"
	"memcost/internal/show/difftext"
	"memcost/internal/show/text"
	"memcost/internal/show/whypage"
	"memcost/internal/show/whytext"
	"memcost/internal/sites/diff"
	"memcost/internal/sites/explain"
	"memcost/internal/sites/export"
	reasons "memcost/internal/sites/join"
)

// errBudget ends a --gate of memcost why that found something.
var errBudget = errors.New("the gate is closed (--gate)")

// showWhy shows what was found, writes its page into its folder, and returns what --gate stops
// for.
func showWhy(a *App, f *whyFlags, k *explain.Kept, dir string) error {
	if err := a.Output(f.out, func(w *Output) error { return writeWhy(w, a, f, k, dir) }); err != nil {
		return err
	}
	if err := pagesOfWhy(a, f, k, dir); err != nil {
		return err
	}
	if !f.gate {
		return failedOf(k.Sides[len(k.Sides)-1].Report)
	}
	return gateOfWhy(k)
}

// failedOf is the error of what could not be counted; the rest has been shown.
func failedOf(r *reasons.Report) error {
	var failed []string
	for _, b := range r.Benchmarks {
		if b.Failed != "" {
			failed = append(failed, b.Name)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("not everything could be counted: %s failed, as shown above: %s",
		units.Plural(len(failed), "benchmark"), strings.Join(failed, ", "))
}

// sitesName is the page of the last side, where report.html compares it with another.
const sitesName = "sites.html"

// pagesOfWhy writes the page into the folder: of the sites, or of what became of them, and then the
// sites beside it. What was found is safe by then.
func pagesOfWhy(a *App, f *whyFlags, k *explain.Kept, dir string) error {
	last := k.Sides[len(k.Sides)-1]
	path, sites := filepath.Join(dir, PageName), filepath.Join(dir, PageName)
	diffs := diffsOf(k)
	if len(diffs) > 0 {
		sites = filepath.Join(dir, sitesName)
	}
	err := WriteWhole(sites, func(w io.Writer) error { return whyPage(w, k, last) })
	if err == nil && len(diffs) > 0 {
		err = WriteWhole(path, func(w io.Writer) error { return diffPage(w, k, diffs, sitesName) })
	}
	if err != nil {
		fmt.Fprintf(a.Stderr, "warning: %v\n", err)
		return nil
	}
	fmt.Fprintf(a.Stderr, "folder: %s\nreport: %s\n", dir, path)
	if f.open {
		return OpenPage(path)
	}
	return nil
}

func whyPage(w io.Writer, k *explain.Kept, s explain.Side) error {
	return whypage.Write(w, s.Report, whypage.Options{Read: s.Read, Invocation: invocation(k)})
}

func diffPage(w io.Writer, k *explain.Kept, diffs []diff.Diff, sites string) error {
	return diffpage.Write(w, diffs, diffpage.Options{Invocation: invocation(k), Sites: sites})
}

// invocation returns the command line that measured, as a shell takes it; "" if it is not known.
func invocation(k *explain.Kept) string {
	return (&result.Answer{Command: k.Command}).CommandLine()
}

// writeWhy writes in the format that was asked for: the last side, or how it differs from the
// first.
func writeWhy(w *Output, a *App, f *whyFlags, k *explain.Kept, dir string) error {
	last := k.Sides[len(k.Sides)-1]
	style := w.Style(a, f.long)
	if diffs := diffsOf(k); len(diffs) > 0 && f.site == "" && f.source == "" {
		switch f.format {
		case "", "text":
			return difftext.Text(w, diffs, style)
		case "md":
			return difftext.Markdown(w, diffs)
		case "json":
			return difftext.JSON(w, diffs)
		case "html":
			return diffPage(w, k, diffs, "")
		}
	}
	o := export.Options{Version: a.Version, Folder: last.Folder, Root: last.Root, ReadFile: last.Read}
	switch f.format {
	case "html":
		return whyPage(w, k, last)
	case "md":
		return whytext.Markdown(w, last.Report, textOfWhy(f, last, style, dir))
	case "json":
		return whytext.JSON(w, last.Report)
	case "sarif":
		return export.SARIF(w, last.Report, findingsOf(last), o)
	case "github":
		return export.Annotations(w, last.Report, findingsOf(last), o)
	case "lsp":
		return export.Diagnostics(w, last.Report, findingsOf(last), o)
	case "pprof":
		return copyProfile(w, dir)
	}
	if err := whytext.Text(w, last.Report, textOfWhy(f, last, style, dir)); err != nil {
		return err
	}
	if f.site != "" || f.source != "" {
		return nil
	}
	return writeFindings(w, last)
}

// profileName is the heap profile, with labels, in the folder of what was found.
const profileName = "allocations.pb.gz"

// keepProfile writes the heap profiles of the last side, which its record does not hold. Where
// nothing was run, or nothing allocates any longer, there is none.
func keepProfile(k *explain.Kept, dir string) error {
	r := k.Sides[len(k.Sides)-1].Report
	if !slices.ContainsFunc(r.Profiles, func(p reasons.Profiled) bool {
		return p.Memory != nil && len(p.Memory.Sample) > 0
	}) {
		return nil
	}
	path := filepath.Join(dir, profileName)
	return WriteWhole(path, func(w io.Writer) error { return export.Pprof(w, r) })
}

func copyProfile(w io.Writer, dir string) error {
	f, err := os.Open(filepath.Join(dir, profileName))
	if errors.Is(err, fs.ErrNotExist) {
		return hint.Usage("leave --static out",
			"--format pprof: nothing was run, or nothing allocated: there is no profile in %s", dir)
	}
	if err != nil {
		return fmt.Errorf("reading the profile: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

func textOfWhy(f *whyFlags, s explain.Side, style text.Style, dir string) whytext.Options {
	return whytext.Options{Style: style, Answer: reasons.Answer(s.Report), All: f.all, Site: f.site, Source: f.source,
		Asked: dir, Read: s.Read}
}

// diffsOf compares each further side with the first.
func diffsOf(k *explain.Kept) []diff.Diff {
	if len(k.Sides) < 2 {
		return nil
	}
	var reports []*reasons.Report
	for _, s := range k.Sides {
		reports = append(reports, s.Report)
	}
	diffs := diff.CompareAll(reports...)
	for i := range diffs {
		diffs[i].Old.Name, diffs[i].New.Name = k.Sides[0].Name, k.Sides[i+1].Name
	}
	return diffs
}

// writeFindings prints the budgets that are exceeded, or may be.
func writeFindings(w io.Writer, s explain.Side) error {
	for _, x := range s.Findings {
		if _, err := fmt.Fprintf(w, "budget %s: %s:%d: %s\n", x.State, x.File, x.Line, x.Says); err != nil {
			return err
		}
	}
	return nil
}

func findingsOf(s explain.Side) (out []export.Finding) {
	for _, x := range s.Findings {
		out = append(out, export.Finding{Note: x.State != explain.Broken, Package: x.Package, Function: x.Function,
			File: x.File, Path: x.Path, Line: x.Line, Col: x.Column, Says: x.Says})
	}
	return out
}

// gateOfWhy returns what closes the gate: budgets that are exceeded or cannot be checked, and what
// is worse than in the first side.
func gateOfWhy(k *explain.Kept) error {
	var says []string
	for _, x := range k.Sides[len(k.Sides)-1].Findings {
		if x.State != explain.Note {
			says = append(says, fmt.Sprintf("%s:%d: %s", x.File, x.Line, x.Says))
		}
	}
	for _, d := range diffsOf(k) {
		says = append(says, diff.Worse(d)...)
	}
	for _, b := range k.Sides[len(k.Sides)-1].Report.Benchmarks {
		if b.Failed != "" {
			says = append(says, b.Name+" failed: "+b.Failed)
		}
	}
	const most = 10
	if n := len(says); n > most {
		says = append(says[:most], fmt.Sprintf("and %d more", n-most))
	}
	if len(says) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errBudget, strings.Join(says, "\n  "))
}
