package blocks

import (
	"fmt"

	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

// one is the front of a run of the study that package result's run folders have: its claims
// with the verdicts of the answer.
func one(a *result.Answer) *answer.Front {
	s := &a.Studies[0]
	f := madeFront()
	f.Question, f.Run, f.Axis, f.Failing, f.LeftOut, f.Advice = s.Question, a.Dir, nil, nil, nil, f.Advice[:1]
	f.Trust = answer.Trust{Processes: a.Samples, Rounds: a.Rounds, Warnings: a.Warnings, Amber: a.Busy}
	study := answer.Study{Name: s.Name, Ask: s.Question, Answer: f.Answer[0]}
	line := answer.Line{Name: "here"}
	for _, c := range s.Claims {
		study.Claims = append(study.Claims, answer.Claim{ID: c.ID, Prose: c.Prose, Own: c.Own})
		v := c.Verdicts[0]
		line.Cells = append(line.Cells, answer.Cell{Status: v.Status, Says: v.Short()})
		study.Tally.Count(v.Status)
	}
	study.Lines = []answer.Line{line}
	f.Studies, f.Tally = []answer.Study{study}, study.Tally
	return f
}

func TestOneStudy(t *testing.T) {
	for _, name := range []string{"healthy", "arms", "troubled", "busy", "empty", "partial", "escapes", "numbers"} {
		a := frontRun(t, name)
		r := &Report{Front: one(a), Answers: []*result.Answer{a}, Page: filepath.Join(a.Dir, "report.html")}
		testkit.Golden(t, "testdata/one/"+name+".txt", drawFront(t, r, terminal.Style{}))
		for _, width := range []int{40, 60, 80, 200} {
			drawFront(t, r, terminal.Style{Width: width, Color: true})
		}
		testkit.Golden(t, "testdata/one/"+name+".md", renderMarkdown(t, r))
	}
}

// A package of the user's without a study.toml has the answer of its first claim, if it has
// claims, and its cases.
func TestPackageWithoutStudyToml(t *testing.T) {
	a := frontRun(t, "healthy")
	s := &a.Studies[0]
	s.Name, s.Question, s.Tables, s.Pictures = "example.com/m/codec", "", nil, nil
	f := one(a)
	f.Question, f.Advice, f.Studies[0].Key = "", nil, -1
	r := &Report{Front: f, Answers: []*result.Answer{a}}
	testkit.Golden(t, "testdata/one/claims-alone.txt", drawFront(t, r, terminal.Style{}))

	s.Claims, f.Studies[0].Claims, f.Studies[0].Lines, f.Answer = nil, nil, nil, nil
	f.Studies[0].Tally, f.Tally, f.Studies[0].Answer = answer.Tally{}, answer.Tally{}, nil
	got := drawFront(t, r, terminal.Style{})
	testkit.Golden(t, "testdata/one/cases-alone.txt", got)
	if n := strings.Count(got, "Smaug/"); n != 6 {
		t.Errorf("%d of 6 cases are listed", n)
	}

	for i := range 10_000 {
		c := s.Cases[0]
		c.Name = fmt.Sprintf("Many/i=%d", i)
		s.Cases = append(s.Cases, c)
	}
	got = drawFront(t, r, terminal.Style{})
	more := regexp.MustCompile(`(?m)^  … and (\d+) more: --long$`).FindStringSubmatch(got)
	if more == nil || fmt.Sprint(len(s.Cases)-strings.Count(got, "\n  Many/")-strings.Count(got, "\n  Smaug/")-
		strings.Count(got, "\n  Empty")) != more[1] {
		t.Errorf("%v are said to be left out of %d cases:\n%s", more, len(s.Cases), got)
	}
	if n := strings.Count(got, "\n"); n != Lines {
		t.Errorf("%d lines: there is room for more cases", n)
	}
}

// INVALID claims are counted in red, and a disturbed machine is said before the answer and
// first in the trust line.
func TestInvalidAndDisturbed(t *testing.T) {
	f := madeFront()
	f.Studies[0].Tally.Invalid, f.Tally.Invalid, f.Trust.Invalid = 2, 2, 3
	f.Disturbed, f.Trust.Amber = "On a disturbed machine:", "31% of the rounds met the rule for exclusion"
	r := &Report{Front: f}
	got := drawFront(t, r, terminal.Style{Color: true})
	for _, want := range []string{"\x1b[31m2\x1b[0m", "\x1b[31m! 2 INVALID\x1b[0m",
		"\x1b[31m3 cases INVALID or failed\x1b[0m",
		"\x1b[33mOn a disturbed machine:\x1b[0m A block"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	got = escapes.ReplaceAllString(got, "")
	if !strings.Contains(got, "\ntrust   31% of the rounds met") {
		t.Errorf("the trust line does not begin with what disturbed the run:\n%s", got)
	}
	testkit.Golden(t, "testdata/disturbed.txt", got)
}

// Where nothing is decided, the front has the answer that says so and what would decide more.
func TestNothingDecided(t *testing.T) {
	f := madeFront()
	f.Answer, f.Advice, f.Failing, f.Axis.Crossings = []answer.Sentence{spoken("This run decides nothing yet.")},
		nil, nil, nil
	f.Tally = answer.Tally{}
	for i := range f.Studies {
		s := &f.Studies[i]
		s.Tally = answer.Tally{Undecided: s.Tally.All()}
		s.Short = spoken("not decided here")
		f.Tally.Add(s.Tally)
	}
	f.Next = []answer.Next{{Command: "memcost run --resume " + f.Run + " --budget 10m", Does: "goes on with this run"}}
	got := drawFront(t, &Report{Front: f}, terminal.Style{})
	testkit.Golden(t, "testdata/nothing.txt", got)
	if strings.Contains(got, "What to do") || !strings.Contains(got, "time per block") {
		t.Error("advice without a decision, or no picture")
	}
}

// Ten machines have a line each as far as there is room, and the first two always.
func TestTenMachinesOnTerminal(t *testing.T) {
	f := madeFront()
	f.Releases = "3 of 112 cases changed from go1.25.4 to go1.26.8, 80 are equivalent, 29 undecided"
	for i := range f.Studies {
		s := &f.Studies[i]
		for m := range 10 {
			l := answer.Line{Name: fmt.Sprintf("machine-%d", m)}
			if m == 0 {
				l.Name = "here"
			}
			for c := range 4 {
				l.Cells = append(l.Cells, answer.Cell{Status: []claim.Status{"fails", "undecided", "holds"}[(c+m)%3]})
			}
			s.Lines = append(s.Lines, l)
		}
	}
	axis := *f.Axis
	for run := 1; run < 10; run++ {
		for _, m := range f.Axis.Means {
			m.Run = run
			axis.Means = append(axis.Means, m)
		}
	}
	f.Axis = &axis
	got := drawFront(t, &Report{Front: f}, terminal.Style{})
	testkit.Golden(t, "testdata/machines.txt", got)
	for _, want := range []string{"\nhere ", "\nmachine-1 ", "\nGo stack, by value "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, width := range []int{40, 60, 80} {
		drawFront(t, &Report{Front: f}, terminal.Style{Width: width})
	}
}

// Two runs of the same cases are compared.
func TestComparedRuns(t *testing.T) {
	a, b := frontRun(t, "healthy"), frontRun(t, "partial")
	answers := []*result.Answer{a, b}
	r := &Report{Front: one(a), Answers: answers, Compared: compare.Answers(answers)}
	testkit.Golden(t, "testdata/compared.txt", drawFront(t, r, terminal.Style{}))
	for _, width := range []int{40, 60, 80} {
		drawFront(t, r, terminal.Style{Width: width})
	}
}

// What the page of the issue shows stands in the terminal's text, too: the figures that six
// questions ask for.
func TestTheFrontAnswersTheQuestions(t *testing.T) {
	got := drawFront(t, &Report{Front: madeFront()}, terminal.Style{})
	for _, want := range []string{`(?m)^Go stack.* 77 ns`, `(?m)^Go heap.* 1\.1 µs`, `(?m)^sync\.Pool.* 30 ns`,
		`From 4 KiB on a pooled block is cheaper`, `Take a slab instead of an arena`, `fail here`,
		`trust +5,000 processes`} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
