package cli

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/measure/history"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// wouldDo is what a document of a folder has --resume do.
type wouldDo struct {
	dir, file string
	lines     []string // what it would build and run
}

// trusted returns nil where the user's own memcost wrote what --resume goes on with, or the user has seen what it would
// build and run, and agrees. Nobody is asked without a terminal.
func (a *App) trusted(f *commonFlags, documents ...wouldDo) error {
	if f.trust {
		return nil
	}
	for _, d := range documents {
		why := store.Signed(d.dir, d.file)
		if why == nil {
			continue
		}
		path := filepath.Join(d.dir, d.file)
		fmt.Fprintf(a.Stderr, "%s is not known as yours: %v.\nGoing on with it builds and runs, with your rights:\n  %s\n",
			path, why, strings.Join(d.lines, "\n  "))
		in, reads := a.Stdin.(interface{ Fd() uintptr })
		asks, _ := isTerminal(a.Stderr)
		if !reads || !asks || !isTerminalFile(in.Fd()) {
			return hint.Usage("if all of it may run here: --trust", "--resume %s: it is not known as yours", d.dir)
		}
		fmt.Fprint(a.Stderr, "Go on? [y/N] ")
		answer, _ := bufio.NewReader(a.Stdin).ReadString('\n')
		if yes := strings.ToLower(strings.TrimSpace(answer)); yes != "y" && yes != "yes" {
			return hint.Usage("--trust asks nothing", "--resume %s: nothing was done", d.dir)
		}
	}
	return nil
}

// quoted shows words of somebody else's with nothing in them that a terminal would act on.
func quoted(what string, words ...string) string {
	for _, w := range words {
		what += fmt.Sprintf(" %q", w)
	}
	return what
}

// ofQuestion says what going on with a run would build and run.
func ofQuestion(dir string, q *plan.Question) wouldDo {
	w := wouldDo{dir: dir, file: store.QuestionFile}
	add := func(what string, words ...string) {
		if len(words) > 0 && strings.Join(words, "") != "" {
			w.lines = append(w.lines, quoted(what, words...))
		}
	}
	for _, s := range q.Plan.Studies {
		add("benchmarks:", s.Name)
		for _, v := range s.Variants {
			add("  with", append(append([]string{}, v.Env...), v.Args...)...)
		}
	}
	add("packages:", q.Packages...)
	add("in the folder:", q.Dir)
	for _, s := range q.Plan.Sides {
		add("configuration:", s.Name)
		add("  toolchain:", s.Toolchain)
		add("  build flags:", s.Flags...)
		add("  environment:", s.Env...)
		add("  arguments:", s.Args...)
		add("  command:", s.Command)
		add("  program:", s.Program)
		if s.Source != nil {
			add("  revision:", s.Source.Name())
		}
	}
	if c := q.Comparison; c != nil {
		add("arguments of tests:", c.TestArgs...)
		add("before each sample:", c.Prepare)
		add("input:", c.Stdin)
		if c.Alloc != nil {
			add("program:", c.Alloc.Program)
			add("load of the server:", c.Alloc.Until)
			add("until it is ready:", c.Alloc.Ready)
		}
	}
	return w
}

// ofHistoryIn says what going on with a search through history would build and run, and with the step that was begun.
func ofHistoryIn(dir string, s *history.SearchState) ([]wouldDo, error) {
	w := wouldDo{dir: dir, file: store.HistoryFile}
	w.lines = append(w.lines, quoted("packages:", s.Asked.Packages...), quoted("in the folder:", s.Dir),
		quoted("build flags:", s.Asked.BuildFlags...), quoted("arguments of tests:", s.Asked.TestArgs...))
	for _, p := range s.Points {
		w.lines = append(w.lines, quoted("at", p.Name))
	}
	all := []wouldDo{w}
	for _, step := range s.Steps {
		at := filepath.Join(dir, step.Folder)
		if step.Done || step.Folder == "" || !store.IsRun(at) {
			continue
		}
		run, err := store.ReadRun(at)
		if err != nil {
			return nil, err
		}
		all = append(all, ofQuestion(at, run.Question))
	}
	return all, nil
}
