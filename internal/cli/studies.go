package cli

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/report/result"
)

// RunsAndStudies parts the arguments of memcost report: the first is a run, and so is each
// that exists; another is the name of a study or package. A folder that only has the name of a
// study, as in a checkout of the program, is no run.
func RunsAndStudies(args []string) (runs, names []string) {
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

// ChooseStudies returns the answers with the named studies and packages alone, in their order.
// A package may be named by the end of its path.
func ChooseStudies(answers []*result.Answer, runs, names []string) ([]*result.Answer, error) {
	var all []string
	for _, a := range answers {
		for _, s := range a.Suites {
			all = append(all, s.Name)
		}
	}
	all = Distinct(all)
	chosen, err := StudiesNamed(all, runs, names)
	if err != nil {
		return nil, err
	}
	var out []*result.Answer
	for _, a := range answers {
		one := *a
		one.Suites = slices.DeleteFunc(slices.Clone(a.Suites), func(s result.Suite) bool {
			return !slices.Contains(chosen, s.Name)
		})
		if len(one.Suites) > 0 {
			out = append(out, &one)
		}
	}
	return out, nil
}

// StudiesNamed returns which of all studies and packages of runs the names mean.
func StudiesNamed(all, runs, names []string) ([]string, error) {
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
	advice := "it has: " + strings.Join(all, ", ")
	if near := hint.Nearest(name, short); near != "" {
		advice = "did you mean " + near + "? " + advice
	}
	return hint.With(advice, fmt.Errorf("reading %s: there is no such run folder or file, and no such study in %s",
		name,
		strings.Join(runs, ", ")))
}

// CompleteReport completes the arguments of memcost report: files, and behind a run also the
// studies that it has.
func CompleteReport(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, dir := range args {
		if q, err := session.ReadQuestion(dir); err == nil {
			for _, s := range q.Plan.Suites {
				names = append(names, s.Name)
			}
		}
	}
	return Distinct(names), cobra.ShellCompDirectiveDefault
}
