package result

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/exectrace"
	"memcost/internal/plan"
	"memcost/internal/profile"
	"memcost/internal/units"
)

// A Recording is a CPU profile or an execution trace that a run took, drawn.
type Recording struct {
	Case, Arm string
	File      string // in the run folder
	Tool      string // that shows more of it: go tool pprof
	What      string // Flame graph, Timeline
	Sentence  string
	HTML      string // one element, with the classes of package flame or gctrace, and of the page for what scrolls
	Tables    []RecordingTable
}

// A RecordingTable is figures of a recording, words in the first column.
type RecordingTable = exectrace.Table

// functionsShown is how many functions of a profile the table has.
const functionsShown = 25

// drawn is what a recording's file gives.
type drawn struct {
	sentence, html string
	tables         []RecordingTable
}

// recordingKinds are what programs record, by the word of the directive: in which
// folder of a run's it is, see memcost run, and how it is drawn.
var recordingKinds = []struct {
	word, dir, ending, tool, what string
	draw                          func(io.Reader) (drawn, error)
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
					var d drawn
					d, err = kind.draw(bufio.NewReader(in))
					r.Sentence, r.HTML, r.Tables = d.sentence, d.html, d.tables
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

func drawProfile(in io.Reader) (drawn, error) {
	p, err := profile.Read(in)
	if err != nil {
		return drawn{}, err
	}
	var most []string
	for _, s := range p.Shares() {
		if s.Share >= 0.05 {
			most = append(most, fmt.Sprintf("%s %s", s.Category, units.Percent(s.Share)))
		}
	}
	var svg strings.Builder
	if err := p.SVG(&svg, profile.Options{Label: "CPU time by function"}); err != nil {
		return drawn{}, err
	}
	sentence := fmt.Sprintf("CPU time: %s (of %s)", strings.Join(most, ", "), units.Plural(int(p.Samples), "sample"))
	scrolled := `<div class="scroll" role="region" tabindex="0" aria-label="Flame graph">` + svg.String() + `</div>`
	return drawn{sentence, scrolled, []RecordingTable{topTable(p)}}, nil
}

// topTable is what go tool pprof -top prints.
func topTable(p *profile.Profile) RecordingTable {
	top := p.Top(-1)
	t := RecordingTable{Title: "Functions by the time in themselves", Header: []string{"function", "self", "share", "cumulative", "share"}}
	if len(top) > functionsShown {
		t.Title = fmt.Sprintf("The %d of %d functions with the most time in themselves", functionsShown, len(top))
		top = top[:functionsShown]
	}
	for _, f := range top {
		self, ofSelf := p.Text(f.Flat)
		cum, ofCum := p.Text(f.Cum)
		t.Rows = append(t.Rows, []string{f.Name, self, ofSelf, cum, ofCum})
	}
	return t
}

func drawTrace(in io.Reader) (drawn, error) {
	t, err := exectrace.Read(in, exectrace.Options{})
	if err != nil {
		return drawn{}, err
	}
	var picture strings.Builder
	if err := t.Picture(&picture); err != nil {
		return drawn{}, err
	}
	return drawn{t.Sentence(), picture.String(), t.Tables()}, nil
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
