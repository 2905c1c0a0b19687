package fleet

import (
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"

	"golang.org/x/perf/benchfmt"
)

// FolderOf returns the run folder of an attempt as join reads it.
func FolderOf(dir string, q *plan.Question) Folder {
	return Folder{Name: dir, Question: q, Samples: func(fn func(*benchfmt.Result) error) error {
		_, err := store.ReadSamples(dir, fn)
		return err
	}}
}
