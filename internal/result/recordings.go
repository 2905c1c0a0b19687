package result

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/exectrace"
	"memcost/internal/plan"
	"memcost/internal/profile"
)

// recordingKinds are what programs record, by the word of the directive: in which
// folder of a run's it is, see memcost run, and how it is read.
var recordingKinds = []struct {
	word, dir, ending, tool, what string
	read                          func(io.Reader, *Recording) error
}{
	{"{trace}", "traces", ".trace", "go tool trace", "Timeline", func(in io.Reader, r *Recording) (err error) {
		r.Trace, err = exectrace.Read(in, exectrace.Options{})
		return err
	}},
	{"{cpuprofile}", "profiles", ".pprof", "go tool pprof", "Flame graph",
		func(in io.Reader, r *Recording) (err error) {
			r.Profile, err = profile.Read(in)
			return err
		}},
}

// recordings reads what the programs of a suite recorded. One that cannot be read is
// a warning: the figures that it gave are among the samples.
func (a *Answer) recordings(suite int, q *plan.Question) []Recording {
	var out []Recording
	for _, kind := range recordingKinds {
		for _, c := range q.Plan.Cases {
			if c.Suite != suite || c.Program == "" || !strings.Contains(strings.Join(c.Args, " "), kind.word) {
				continue
			}
			for _, arm := range q.Plan.ArmsOf(suite) {
				r := Recording{Case: c.Name, Arm: q.Plan.Arms[arm].Name, Tool: kind.tool, What: kind.what}
				r.File = filepath.Join(kind.dir, FileName(c.Name+"-"+r.Arm)+kind.ending)
				in, err := os.Open(filepath.Join(a.Dir, r.File))
				if os.IsNotExist(err) {
					continue
				}
				if err == nil {
					err = kind.read(bufio.NewReader(in), &r)
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

// FileName makes a name of a case, an arm or a program fit for a file.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, s)
}
