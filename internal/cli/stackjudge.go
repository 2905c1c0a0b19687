package cli

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/text"
	"memcost/internal/toolchain"
)

// stackClaims is the study whose claims the log of the study's programs is judged by.
const stackClaims = "stacklog"

// judged reports whether a job's records make a run folder with verdicts: all of the
// study's programs, by their log.
func (j *stackJob) judged() bool {
	return len(j.patterns) == 0 && len(j.programs) == len(studyPrograms()) && !j.f.trace && !j.f.check
}

// judge keeps what the study's programs did in a run folder, and says which claims
// hold by it.
func (a *app) judge(j *stackJob) error {
	q, err := a.recordsQuestion(stackClaims, "stack", "")
	if err != nil {
		return err
	}
	var versions []string
	for _, r := range j.runs {
		if r.log != nil && !slices.Contains(versions, r.toolchain) {
			versions = append(versions, r.toolchain)
		}
	}
	toolchain.Sort(versions)
	for _, v := range versions {
		q.Plan.Arms = append(q.Plan.Arms, plan.Arm{Name: v, Toolchain: v})
	}
	q.LeftOut = j.question.LeftOut
	for _, r := range j.runs {
		for _, err := range r.failed {
			q.Warnings = append(q.Warnings, fmt.Sprintf("%s: %v", r, err))
		}
	}
	j.question = q
	if err := j.makeFolder(q.Machine.Hostname, time.Now()); err != nil {
		return withHint("name another place with --results DIR", err)
	}
	for _, r := range j.runs {
		if err := j.keepRecords(r); err != nil {
			return err
		}
	}
	if err := j.folder.WriteQuestion(q); err != nil {
		return err
	}
	o, err := reportOptions("all")
	if err != nil {
		return err
	}
	ans, err := result.Read(j.folder.Dir, o)
	if err != nil {
		return err
	}
	switch {
	case j.f.out != "": // the programs go there, the verdicts to the terminal
		err = a.stackOutput(j.f, j.runs)
	case j.f.format != "text":
		a.pageOf(j.folder.Dir, ans, false)
		return a.stackOutput(j.f, j.runs)
	case j.f.long:
		err = text.Stacks(a.stdout, stackRuns(j.runs), a.style(true))
	default:
		err = text.StackOverview(a.stdout, stackRuns(j.runs), a.style(false))
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	if err := render(a.stdout, []*result.Answer{ans}, "text", a.style(false)); err != nil {
		return err
	}
	a.pageOf(j.folder.Dir, ans, false)
	return nil
}

func (j *stackJob) keepRecords(r *stackRun) error {
	if r.log == nil {
		return nil
	}
	config := []benchfmt.Config{}
	for _, kv := range append(header(j.question), [2]string{"study", stackClaims}, [2]string{"toolchain", r.toolchain}, [2]string{"arm", r.toolchain}) {
		config = append(config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	return j.folder.Append(r.log.Records("StackGrowth/program="+result.FileName(r.name), config...)...)
}
