package stacks

import (
	"fmt"
	"io"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// Claims is the study whose claims are judged by the logs of the programs of Study.
const Claims = "stacklog"

// Judges reports whether what is recorded can be judged by Claims: all of the
// study's programs, by their log.
func (o Options) Judges() bool {
	return len(o.Packages) == 0 && len(o.Programs) == len(StudyPrograms()) && o.Recording == toolchain.StackLog
}

// Arms adds to a question of Claims the toolchains of the runs, and what failed.
func Arms(q *plan.Question, runs []*Run) {
	var versions []string
	for _, r := range runs {
		if r.Log != nil && !slices.Contains(versions, r.Toolchain) {
			versions = append(versions, r.Toolchain)
		}
	}
	toolchain.Sort(versions)
	for _, v := range versions {
		q.Plan.Arms = append(q.Plan.Arms, plan.Arm{Name: v, Toolchain: v})
	}
	for _, r := range runs {
		for _, err := range r.Failed {
			q.Warnings = append(q.Warnings, fmt.Sprintf("%s: %v", r, err))
		}
	}
}

// Keep appends the records of the runs to a run folder, each under the header and
// its toolchain.
func Keep(folder *store.Folder, header [][2]string, runs []*Run) error {
	for _, r := range runs {
		if r.Log == nil {
			continue
		}
		more := [][2]string{{"study", Claims}, {"toolchain", r.Toolchain}, {"arm", r.Toolchain}}
		if err := folder.Append(r.records(slices.Concat(header, more))...); err != nil {
			return err
		}
	}
	return nil
}

// WriteRecords writes the runs in the benchmark format, for benchstat.
func WriteRecords(w io.Writer, runs []*Run) error {
	out := benchfmt.NewWriter(w)
	for _, r := range runs {
		if r.Log == nil {
			continue
		}
		var config [][2]string
		if r.Toolchain != "" {
			config = [][2]string{{"toolchain", r.Toolchain}}
		}
		for _, rec := range r.records(config) {
			if err := out.Write(rec); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Run) records(config [][2]string) []*benchfmt.Result {
	all := []benchfmt.Config{}
	for _, kv := range config {
		all = append(all, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	return r.Log.Records("StackGrowth/program="+store.FileName(r.Name), all...)
}
