package report

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memcost/internal/flame"
	"memcost/internal/gctrace"
	"memcost/internal/plan"
)

// A Recording is a CPU profile or an execution trace that a run took, drawn.
type Recording struct {
	Case, Arm string
	File      string // in the run folder
	Tool      string // that shows more of it: go tool pprof
	What      string // Flame graph, Timeline
	Sentence  string
	HTML      string // one element, with the classes of package flame or gctrace
}

// recordingKinds are what programs record, by the word of the directive: in which
// folder of a run's it is, see memcost run, and how it is drawn.
var recordingKinds = []struct {
	word, dir, ending, tool, what string
	draw                          func(io.Reader) (sentence, html string, err error)
}{
	{"{trace}", "traces", ".trace", "go tool trace", "Timeline", drawTrace},
	{"{cpuprofile}", "profiles", ".pprof", "go tool pprof", "Flame graph", drawProfile},
}

// recordings draws what the programs of a suite recorded. One that cannot be read is
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
					r.Sentence, r.HTML, err = kind.draw(bufio.NewReader(in))
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

func drawProfile(in io.Reader) (sentence, html string, err error) {
	p, err := flame.Read(in)
	if err != nil {
		return "", "", err
	}
	var most []string
	for _, s := range p.Shares() {
		if s.Share >= 0.05 {
			most = append(most, fmt.Sprintf("%s %s", s.Category, percent(s.Share)))
		}
	}
	var svg strings.Builder
	if err := p.SVG(&svg, flame.Options{Label: "CPU time by function"}); err != nil {
		return "", "", err
	}
	return fmt.Sprintf("CPU time: %s (of %s)", strings.Join(most, ", "), plural(int(p.Samples), "sample")), svg.String(), nil
}

func drawTrace(in io.Reader) (sentence, html string, err error) {
	t, err := gctrace.Read(in, gctrace.Options{})
	if err != nil {
		return "", "", err
	}
	var picture strings.Builder
	if err := t.Picture(&picture); err != nil {
		return "", "", err
	}
	sentence = fmt.Sprintf("Traced for %v: %s, which stopped the program for %v in all and %v at most", t.Span.Round(time.Microsecond), plural(int(t.GC.N), "collection"), t.STW.GC.Total.Round(time.Microsecond), t.STW.GC.Max.Round(time.Microsecond))
	if t.GC.N == 0 {
		sentence = fmt.Sprintf("Traced for %v: no collection", t.Span.Round(time.Microsecond))
	}
	return sentence, picture.String(), nil
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
