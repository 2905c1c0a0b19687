package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
	"memcost/internal/report/result"
)

func ReadRuns(a *App, runs []string, o result.Options) ([]*result.Answer, error) {
	var answers []*result.Answer
	for i, run := range runs {
		if slices.ContainsFunc(runs[:i], func(other string) bool { return run == other || same(run, other) }) {
			return nil, hint.Usage("name each run once", "%s is named twice", run)
		}
		ans, err := ReadRun(a, run, o)
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

// JoinFiles makes one answer of the files of one machine that differ in the setting alone.
func JoinFiles(answers []*result.Answer, o result.Options) (out []*result.Answer, err error) {
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

func ReadRun(a *App, run string, o result.Options) (*result.Answer, error) {
	if run == "-" {
		return readFile(run, a.Stdin, o)
	}
	info, err := os.Stat(run)
	switch {
	case err != nil:
		return nil, NoRun(run, err)
	case !info.IsDir():
		return readFile(run, nil, o)
	}
	ans, err := result.Read(run, o)
	if err == nil && store.Busy(run) {
		ans.Warnings = append(ans.Warnings, "this run is still in progress: the answer is that of the samples so far")
	}
	return ans, err
}

func NoRun(run string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return hint.With("a run folder is made by memcost run, in results/",
			fmt.Errorf("reading %s: there is no such run folder or file", run))
	}
	return fmt.Errorf("reading the run: %w", err)
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
