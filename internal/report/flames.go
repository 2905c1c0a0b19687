package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/flame"
	"memcost/internal/plan"
)

// A Flame is a CPU profile that a run took, drawn.
type Flame struct {
	Case, Arm string
	File      string // in the run folder
	Sentence  string
	SVG       string // one element, with the classes of package flame
}

// profilesDir is where a run folder keeps the profiles of programs, one for each case
// and arm; see memcost run.
const profilesDir = "profiles"

// flames draws the profiles of a suite's cases. One that cannot be read is a warning:
// the figures that it gave are among the samples.
func (a *Answer) flames(suite int, q *plan.Question) []Flame {
	var out []Flame
	for _, c := range q.Plan.Cases {
		if c.Suite != suite || c.Program == "" || !strings.Contains(strings.Join(c.Args, " "), "{cpuprofile}") {
			continue
		}
		for _, arm := range q.Plan.ArmsOf(suite) {
			name := q.Plan.Arms[arm].Name
			file := filepath.Join(profilesDir, FileName(c.Name+"-"+name)+".pprof")
			f, err := readFlame(filepath.Join(a.Dir, file))
			switch {
			case os.IsNotExist(err):
				continue
			case err != nil:
				a.warn("%s: %v", file, err)
				continue
			}
			f.Case, f.Arm, f.File = c.Name, name, file
			out = append(out, f)
		}
	}
	return out
}

func readFlame(path string) (Flame, error) {
	in, err := os.Open(path)
	if err != nil {
		return Flame{}, err
	}
	defer in.Close()
	p, err := flame.Read(in)
	if err != nil {
		return Flame{}, err
	}
	var most []string
	for _, s := range p.Shares() {
		if s.Share >= 0.05 {
			most = append(most, fmt.Sprintf("%s %s", s.Category, percent(s.Share)))
		}
	}
	var svg strings.Builder
	if err := p.SVG(&svg, flame.Options{Label: "CPU time by function"}); err != nil {
		return Flame{}, err
	}
	return Flame{Sentence: "CPU time: " + strings.Join(most, ", "), SVG: svg.String()}, nil
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
