package fleet

import (
	"memcost/internal/join"
	"memcost/internal/plan"
	"memcost/internal/store"

	"golang.org/x/perf/benchfmt"
)

// FolderOf returns the run folder of an attempt as join reads it.
func FolderOf(dir string, q *plan.Question) join.Folder {
	return join.Folder{Name: dir, Question: q, Samples: func(fn func(*benchfmt.Result) error) error {
		_, err := store.ReadSamples(dir, fn)
		return err
	}}
}
