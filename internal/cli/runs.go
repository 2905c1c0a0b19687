package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
	"memcost/internal/report/result"
)

func readRuns(a *App, runs []string, o result.Options) ([]*result.Answer, error) {
	var answers []*result.Answer
	for i, run := range runs {
		if slices.ContainsFunc(runs[:i], func(other string) bool { return run == other || same(run, other) }) {
			return nil, hint.Usage("name each run once", "%s is named twice", run)
		}
		ans, err := readRun(a, run, o)
		switch {
		case errors.Is(err, store.ErrNoRun) && (len(answers) > 0 || i < len(runs)-1):
			text, _ := hint.Split(err)
			fmt.Fprintf(a.Stderr, "warning: %s; it is left out\n", text)
			continue
		case err != nil:
			return nil, err
		}
		answers = append(answers, ans)
	}
	return answers, nil
}

// joinFiles makes one answer of the files of one machine that differ in the setting alone.
func joinFiles(answers []*result.Answer, o result.Options) (out []*result.Answer, err error) {
	var of [][]string
	for _, ans := range answers {
		at := slices.IndexFunc(out, func(have *result.Answer) bool { return have.Joins(ans) })
		if at < 0 {
			out, of = append(out, ans), append(of, []string{ans.Dir})
			continue
		}
		of[at] = append(of[at], ans.Dir)
		if out[at], err = readFiles(of[at], o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readFiles(names []string, o result.Options) (*result.Answer, error) {
	var files []result.Named
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading the run: %w", err)
		}
		defer f.Close()
		files = append(files, result.Named{Name: name, Reader: f})
	}
	return result.ReadFiles(files, o)
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func readRun(a *App, run string, o result.Options) (*result.Answer, error) {
	if run == "-" {
		return result.ReadFile("standard input", a.Stdin, o)
	}
	info, err := os.Stat(run)
	switch {
	case err != nil:
		return nil, noRun(run, err)
	case !info.IsDir():
		return readFiles([]string{run}, o)
	}
	ans, err := result.Read(run, o)
	if err == nil && store.Busy(run) {
		ans.Warnings = append(ans.Warnings, "this run is still in progress: the answer is that of the samples so far")
	}
	return ans, err
}

func noRun(run string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return hint.With("a run folder is made by memcost run, in results/",
			fmt.Errorf("reading %s: there is no such run folder or file", run))
	}
	return fmt.Errorf("reading the run: %w", err)
}

// runsAndStudies parts the arguments of memcost report: the first is a run, and so is each
// that exists; another is the name of a study or package. A folder that only has the name of a
// study, as in a checkout of the program, is no run.
func runsAndStudies(args []string) (runs, names []string) {
	for i, arg := range args {
		_, err := os.Stat(arg)
		switch {
		case i == 0 || arg == "-" || err == nil && (shippedStudy(arg) == nil || store.IsRun(arg)):
			runs = append(runs, arg)
		default:
			names = append(names, arg)
		}
	}
	return runs, names
}

// chooseStudies returns the answers with the named studies and packages alone, in their order.
// A package may be named by the end of its path.
func chooseStudies(answers []*result.Answer, runs, names []string) ([]*result.Answer, error) {
	var all []string
	for _, a := range answers {
		for _, s := range a.Studies {
			all = append(all, s.Name)
		}
	}
	all = distinct(all)
	chosen, err := studiesNamed(all, runs, names)
	if err != nil {
		return nil, err
	}
	var out []*result.Answer
	for _, a := range answers {
		one := *a
		one.Studies = slices.DeleteFunc(slices.Clone(a.Studies), func(s result.Study) bool {
			return !slices.Contains(chosen, s.Name)
		})
		if len(one.Studies) > 0 {
			out = append(out, &one)
		}
	}
	return out, nil
}

// studiesNamed returns which of all studies and packages of runs the names mean.
func studiesNamed(all, runs, names []string) ([]string, error) {
	var chosen []string
	for _, n := range names {
		found := named(all, n)
		if len(found) != 1 {
			return nil, noStudy(n, runs, all, found)
		}
		chosen = append(chosen, found...)
	}
	return chosen, nil
}

// named returns the studies and packages that a name means: the one of that name, else those
// whose path ends with it.
func named(all []string, name string) []string {
	if slices.Contains(all, name) {
		return []string{name}
	}
	var out []string
	for _, s := range all {
		if strings.HasSuffix(s, "/"+strings.TrimPrefix(name, "./")) {
			out = append(out, s)
		}
	}
	return out
}

// noStudy says that a name means no study of the runs, or several.
func noStudy(name string, runs, all, found []string) error {
	if len(found) > 1 {
		return hint.Usage("name one of them: "+strings.Join(found, ", "), "%q means %d packages of the run", name,
			len(found))
	}
	short := slices.Clone(all)
	for _, s := range all {
		short = append(short, path.Base(s))
	}
	return hint.With(hint.Meant(name, short, "it has: "+strings.Join(all, ", ")), fmt.Errorf("reading %s: there is no such run folder or file, and no such study in %s",
		name,
		strings.Join(runs, ", ")))
}

// completeStudiesOf completes the arguments of memcost report: files, and behind a run also the
// studies that it has.
func completeStudiesOf(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, dir := range args {
		if run, err := store.ReadRun(dir); err == nil {
			for _, s := range run.Question.Plan.Studies {
				names = append(names, s.Name)
			}
		}
	}
	return distinct(names), cobra.ShellCompDirectiveDefault
}
