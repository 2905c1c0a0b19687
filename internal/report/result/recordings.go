package result

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/base/foreign"
	"memcost/internal/gotool/exectrace"
	"memcost/internal/gotool/profile"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// recordingKinds say how a kind of recording is read, and what shows more of it.
var recordingKinds = map[string]struct {
	tool, what string
	read       func(io.ReadSeeker, *Recording) error
}{
	"trace": {"go tool trace", "Timeline", func(in io.ReadSeeker, r *Recording) (err error) {
		r.Trace, err = exectrace.Read(in, exectrace.Options{})
		return err
	}},
	"cpuprofile": {"go tool pprof", "Flame graph", func(in io.ReadSeeker, r *Recording) (err error) {
		r.Profile, err = profile.Read(in)
		return err
	}},
}

// recordings reads what the programs of a study recorded. One that cannot be read is
// a warning: the figures that it gave are among the samples.
func (a *Answer) recordings(study int, q *plan.Question) []Recording {
	var out []Recording
	for _, of := range store.Recordings() {
		kind := recordingKinds[of.Kind]
		for _, c := range q.Plan.Cases {
			if c.Study != study || q.Plan.Kind(c) != plan.Program || !strings.Contains(strings.Join(c.Args, " "),
				of.Word()) {
				continue
			}
			for _, side := range q.Plan.SidesOf(study) {
				r := Recording{Case: c.Name, Side: q.Plan.Sides[side].Name, Tool: kind.tool, What: kind.what}
				r.File = of.File(c.Name, r.Side)
				in, err := foreign.Open(a.Dir, filepath.FromSlash(r.File))
				if os.IsNotExist(err) {
					continue
				}
				if err == nil {
					err = kind.read(in, &r)
					in.Close()
				}
				if err != nil {
					a.warn("%s: %v", r.File, err)
					continue
				}
				out = append(out, r)
			}
		}
	}
	return out
}
