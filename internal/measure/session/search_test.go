package session

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
)

// fakeSearch finds three things, and stops before the one at which it is told to.
type fakeSearch struct {
	*record
	stopAt int
	known  map[string]bool
	tried  []string
}

func (f *fakeSearch) add(r *benchfmt.Result) error {
	f.known[string(r.Name)] = true
	return nil
}

func (f *fakeSearch) prepare(context.Context) error { return nil }
func (f *fakeSearch) lines() []string               { return nil }
func (f *fakeSearch) found() int                    { return len(f.known) }

var errStopped = errors.New("stopped")

func (f *fakeSearch) find(context.Context) error {
	for i := range 3 {
		name := fmt.Sprintf("Thing/n=%d", i)
		if f.known[name] {
			continue
		}
		if i == f.stopAt {
			return errStopped
		}
		f.tried, f.known[name] = append(f.tried, name), true
		r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: []benchfmt.Value{{Value: 1, Unit: "bytes"}}}
		if err := f.keep([]*benchfmt.Result{r}, [2]string{"study", "limits"}); err != nil {
			return err
		}
	}
	return nil
}

// What is found is in the run folder at once, and is not looked for again.
func TestSearchGoesOn(t *testing.T) {
	dir := ""
	for part, stopAt := range []int{2, -1} {
		q := &plan.Question{Format: plan.Format, Recorded: Limits}
		s := &Search{record: &record{Tools: quiet(t), Question: q}}
		work := &fakeSearch{record: s.record, stopAt: stopAt, known: map[string]bool{}}
		s.work = work
		if part == 0 {
			if err := s.makeFolder(t.TempDir(), q.Created); err != nil {
				t.Fatal(err)
			}
			dir = s.Folder.Dir
		} else if err := s.openFolder(dir); err != nil {
			t.Fatal(err)
		} else if err := s.replay(dir); err != nil {
			t.Fatal(err)
		}
		err := s.Find(t.Context())
		s.Close()
		if part == 0 && (!errors.Is(err, errStopped) || len(work.tried) != 2) {
			t.Errorf("the first part: %v, tried %v", err, work.tried)
		}
		if part == 1 && (err != nil || len(work.tried) != 1 || s.Found() != 3) {
			t.Errorf("the second part: %v, tried %v, found %d", err, work.tried, s.Found())
		}
	}
	if n := samplesOf(t, dir); n != 3 {
		t.Errorf("%d records, want 3", n)
	}
}
