package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memcost/internal/hint"
	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/result"
	"memcost/internal/run"
	"memcost/internal/store"
	"memcost/internal/toolchain"
)

// A session is what memcost stack needs to build and run.
type session struct {
	app      *app
	question *plan.Question
	folder   *store.Folder
	tools    *run.Tools
	runner   *proc.Runner
	builder  *toolchain.Builder
	finder   *toolchain.Finder
	progress *progress
	env      []string
	goList   string
	results  string
}

func (a *app) newSession(goVersions, results string, verbose bool) (*session, error) {
	p := newProgress(a.stderr)
	t, err := a.tools(p, verbose)
	if err != nil {
		return nil, err
	}
	return &session{app: a, tools: t, runner: t.Runner, builder: t.Builder, finder: t.Finder, progress: p, env: t.Env, goList: goVersions, results: results}, nil
}

func (s *session) versions(ctx context.Context) ([]string, error) {
	return s.tools.Versions(ctx, s.goList)
}

func (s *session) close() {
	s.progress.end()
	if s.folder != nil {
		s.folder.Close()
	}
}

func (s *session) leftOut(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	s.question.LeftOut = append(s.question.LeftOut, w)
	s.progress.note("left out: " + w)
}

func (s *session) makeFolder(host string, now time.Time) (err error) {
	base := filepath.Join(s.results, now.Format("20060102-150405")+"-"+result.FileName(host))
	dir := base
	for i := 2; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			s.folder, err = store.Create(dir)
			return err
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}

func (a *app) recordsQuestion(name, command, bench string) (*plan.Question, error) {
	st, err := run.Study(name)
	if err != nil {
		return nil, err
	}
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return nil, fmt.Errorf("reading what this machine is: %w", err)
	}
	return &plan.Question{Format: plan.Format, Tool: "memcost " + Version, Created: time.Now().UTC().Truncate(time.Second),
		Command: append([]string{"memcost"}, a.args...), Machine: fp, Recorded: command,
		Plan: plan.Plan{Options: plan.Options{Profile: command, Alpha: plan.Alpha, Bench: bench},
			Suites: []plan.Suite{{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true, Directives: st.Directives}}}}, nil
}

func header(q *plan.Question) [][2]string {
	return [][2]string{
		{"memcost", strings.TrimPrefix(q.Tool, "memcost ")},
		{"goos", q.Machine.OS}, {"goarch", q.Machine.Arch}, {"cpu", q.Machine.CPUModel}, {"machine", q.Machine.Hostname},
	}
}

func compact(names []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range names {
		if !seen[n] {
			out = append(out, n)
		}
		seen[n] = true
	}
	return out
}

func usage(advice, format string, args ...any) error { return hint.Usage(advice, format, args...) }

func withHint(advice string, err error) error { return hint.With(advice, err) }
