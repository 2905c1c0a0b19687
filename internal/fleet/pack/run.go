package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

// Has reports whether a run has samples of one of the studies and packages.
func (p *Pack) Has(run int, studies []string) bool {
	return slices.ContainsFunc(p.spans[run], func(s located) bool {
		return slices.Contains(studies, p.Index.Parts[s.part].Study)
	})
}

// Run returns the question and the samples of a run, of the named studies and packages alone, with
// what memcost measures of its own in every run.
func (p *Pack) Run(run int, studies []string) (Source, error) {
	r := p.Index.Runs[run]
	src := Source{Name: p.Dir + " " + r.Name}
	var q plan.Question
	data, err := p.question(run)
	if err == nil {
		err = json.Unmarshal(data, &q)
	}
	if err == nil {
		err = q.Check()
	}
	if err != nil {
		return src, damaged(p.Dir, RunsFile, fmt.Errorf("the question of %s: %w", r.Name, err))
	}
	src.Question, src.JSON = q.Only(studies...), data
	src.Samples = func(fn func(*benchfmt.Result) error) ([]error, error) {
		var warnings []error
		for _, w := range r.Warnings {
			warnings = append(warnings, errors.New(w))
		}
		return warnings, p.samples(run, append([]string{series.FloorSuite}, studies...), fn)
	}
	return src, nil
}

// question returns the question of a run as run.json had it.
func (p *Pack) question(run int) ([]byte, error) {
	f, err := os.Open(filepath.Join(p.Dir, RunsFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return questionAt(f, info.Size(), run)
}
