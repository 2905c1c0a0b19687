package answer

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// The known answer of a run of a known study: the stack costs 20 ps a byte, the heap 60 ps and
// 100 ns, so that the heap costs 3.1 times the stack at 64 KiB and 8 times at 1 KiB.
func TestKnownAnswer(t *testing.T) {
	f := frontOf(t, "healthy")
	const says = "The heap costs 3.1 [3.0, 3.2] times the stack at 64 KiB and 7.9 [7.7, 8.1] times at 1 KiB."
	if f.Question != "Which place is cheaper?" || len(f.Answer) != 1 || f.Answer[0].String() != says {
		t.Errorf("%s %v", f.Question, f.Answer)
	}
	var numbers, intervals []string
	for _, p := range f.Answer[0] {
		switch p.Kind {
		case Number:
			numbers = append(numbers, p.Text)
		case Interval:
			intervals = append(intervals, p.Text)
		}
	}
	if !slices.Equal(numbers, []string{"3.1", "7.9"}) ||
		!slices.Equal(intervals, []string{"[3.0, 3.2]", "[7.7, 8.1]"}) {
		t.Errorf("figures %q, intervals %q", numbers, intervals)
	}
	s := f.Studies[0]
	if s.Claim != "S1" || s.Status != "holds" || s.Tally != (Tally{Hold: 3, Fail: 1, NotTested: 1}) ||
		s.Tally != f.Tally ||
		s.Short.String() != "the heap costs 3.1× (64 KiB) to 7.9× (1 KiB) the stack" {
		t.Errorf("%+v", s)
	}
	if len(f.Advice) != 1 || f.Advice[0].Do != "Pass values up to 64 KiB" || f.Advice[0].Times != "3.1–7.9×" ||
		f.Advice[0].Claim != "S1" || f.Advice[0].Status != "holds" || f.Advice[0].Family != "go" {
		t.Errorf("advice %+v", f.Advice)
	}
	heap := f.Axis.mean(t, "heap")
	if len(heap.Points) != 3 || heap.Ends != "" || !slices.Equal(f.Axis.Sizes, []int64{1024, 4096, 65536}) {
		t.Errorf("curve %+v at %v", heap, f.Axis.Sizes)
	}
	for _, p := range heap.Points {
		want := float64(p.Size)*60e-12 + 100e-9
		if p.Hollow || math.Abs(float64(p.Figure.Value)/want-1) > 0.05 {
			t.Errorf("%+v, want %v", p, want)
		}
	}
	if r := f.Axis.Ratio; r == nil || len(r.Points) != 3 || !r.Points[0].Figure.Bounded() || r.Points[0].Hollow {
		t.Errorf("ratio %+v", r)
	}
	if f.Trust.Processes != 112 || f.Trust.Rounds != 14 || f.Trust.Invalid != 0 || f.Trust.Excluded != "" {
		t.Errorf("trust %+v", f.Trust)
	}
}

// A means without figures is named as one that no curve shows; one whose cases do not do what
// they say is no unmeasured one.
func TestNotMeasured(t *testing.T) {
	f := frontOf(t, "healthy")
	if !slices.Equal(f.Axis.Missing, []string{"sync.Pool: not measured"}) {
		t.Errorf("%q", f.Axis.Missing)
	}
	a := recordedRun(t, "healthy")
	for i := range a.Studies[0].Cases {
		if c := &a.Studies[0].Cases[i]; strings.Contains(c.Name, "place=heap") {
			c.Invalid = []string{"it made no allocation"}
		}
	}
	f = Of([]*result.Answer{a}, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	want := []string{"Go heap: its cases are INVALID or failed", "sync.Pool: not measured"}
	if !slices.Equal(f.Axis.Missing, want) || f.Axis.Ratio != nil || f.Trust.Invalid != 3 {
		t.Errorf("%q, ratio %+v, %d invalid", f.Axis.Missing, f.Axis.Ratio, f.Trust.Invalid)
	}
	for _, m := range f.Axis.Means {
		if m.Key == "heap" {
			t.Errorf("a curve of INVALID cases: %+v", m)
		}
	}
}

// What is undecided says so with its interval, has hollow marks, and gives no advice.
func TestUndecided(t *testing.T) {
	a := recordedRun(t, "healthy")
	v := verdictOf(t, a, "S1")
	v.Status, v.Says = "undecided", "undecided"
	v.Elements[2].Status = "undecided"
	v.Deciding = &v.Elements[2]
	f := Of([]*result.Answer{a}, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	const says = "Not decided here: the heap costs 3.1 [3.0, 3.2] times the stack at 64 KiB."
	if len(f.Answer) != 1 || f.Answer[0].String() != says || f.Studies[0].Status != "undecided" {
		t.Errorf("%v", f.Answer)
	}
	if !strings.HasPrefix(f.Studies[0].Short.String(), "undecided: the heap costs 3.1") || len(f.Advice) != 0 ||
		f.Tally.Undecided != 1 {
		t.Errorf("%s, advice %v", f.Studies[0].Short, f.Advice)
	}
	for _, p := range f.Axis.Ratio.Points {
		if p.Hollow != (p.Size == 65536) {
			t.Errorf("%+v", p)
		}
	}
	for _, p := range frontOf(t, "progress").Axis.mean(t, "heap").Points {
		if !p.Hollow {
			t.Errorf("full without an interval: %+v", p)
		}
	}
}

// Advice for the other verdict is not shown, nor where the verdict does not stand when
// everything is counted together.
func TestAdviceOfDecidedClaimsOnly(t *testing.T) {
	shipped := Options{Shipped: []*language.Study{smaug(t, "healthy")}}
	a := recordedRun(t, "healthy")
	v := verdictOf(t, a, "S1")
	v.Status = "fails"
	v.Deciding.Figure.Value, v.Deciding.Figure.Lo, v.Deciding.Figure.Hi = 0.5, 0.4, 0.625
	f := Of([]*result.Answer{a}, shipped)
	if len(f.Advice) != 1 || f.Advice[0].Do != "Pass pointers" ||
		f.Advice[0].Because.String() != "The stack costs 2.0 [1.6, 2.5] times the heap." {
		t.Errorf("%+v", f.Advice)
	}
	v.Status, v.Counted, v.Selected = "holds", true, false
	if f = Of([]*result.Answer{a}, shipped); len(f.Advice) != 0 {
		t.Errorf("of a verdict that does not stand: %+v", f.Advice)
	}
}

// An INVALID or failed case has no mark, and keeps its claim from being tested.
func TestInvalid(t *testing.T) {
	f := frontOf(t, "troubled")
	for _, m := range f.Axis.Means {
		for _, p := range m.Points {
			if p.Case == "Smaug/place=stack/size=1024-2" || p.Case == "Smaug/place=stack/size=4096-2" {
				t.Errorf("a mark of an INVALID case: %+v", p)
			}
		}
	}
	if f.Trust.Invalid < 3 || f.Tally.Invalid == 0 {
		t.Errorf("%d INVALID, tally %+v", f.Trust.Invalid, f.Tally)
	}
	for i, c := range f.Studies[0].Lines[0].Cells {
		if strings.Contains(c.Says, "reason below") {
			t.Errorf("%s: nothing stands below: %s", f.Studies[0].Claims[i].ID, c.Says)
		}
	}
}

// A figure with a reservation has a hollow mark and says which.
func TestFlagged(t *testing.T) {
	a := recordedRun(t, "healthy")
	for i := range a.Studies[0].Cases {
		if c := &a.Studies[0].Cases[i]; c.Name == "Smaug/place=heap/size=4096-2" {
			c.Flags = []string{"it depends on its position"}
		}
	}
	f := Of([]*result.Answer{a}, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	for _, p := range f.Axis.mean(t, "heap").Points {
		if flagged := p.Size == 4096; p.Hollow != flagged || (p.Flag == "it depends on its position") != flagged {
			t.Errorf("%+v", p)
		}
	}
}

// Where every case is INVALID, that is the answer.
func TestAllInvalid(t *testing.T) {
	a := recordedRun(t, "healthy")
	s := &a.Studies[0]
	for i := range s.Cases {
		s.Cases[i].Invalid = []string{"it did something else"}
	}
	for i := range s.Claims {
		for j := range s.Claims[i].Verdicts {
			s.Claims[i].Verdicts[j] = result.Verdict{Data: s.Cases[0].Side, Status: "not tested", Says: "not tested",
				Why: "INVALID"}
		}
	}
	s.Answer, s.Tables = nil, nil
	f := Of([]*result.Answer{a}, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	if f.Tally.Invalid != f.Tally.All() || f.Axis != nil || len(f.Answer) != 2 ||
		f.Answer[0].String() != "This run decides nothing yet." ||
		!strings.Contains(f.Answer[1].String(), "INVALID") || len(f.Advice) != 0 {
		t.Errorf("%+v %v", f.Tally, f.Answer)
	}
}

// That the machine was busy comes first, and decides nothing of different code.
func TestBusyMachine(t *testing.T) {
	f := frontOf(t, "busy")
	if f.Disturbed != "On a busy machine:" || !strings.HasPrefix(f.Trust.Amber, "The machine was busy") ||
		f.Trust.Excluded == "" {
		t.Errorf("%q %+v", f.Disturbed, f.Trust)
	}
	if says := f.Answer[0].String(); !strings.HasPrefix(says, "Not decided here: the heap costs 3.1") ||
		!strings.HasSuffix(says, " "+figures.Beside+".") || len(f.Advice) != 0 {
		t.Errorf("%s, advice %v", says, f.Advice)
	}
	if f = frontOf(t, "healthy"); f.Disturbed != "" || f.Trust.Amber != "" {
		t.Errorf("quiet: %q, %q", f.Disturbed, f.Trust.Amber)
	}
}

// Where nothing is decided there is the command that would decide, beside the picture.
func TestNothingDecided(t *testing.T) {
	a := recordedRun(t, "progress")
	v := verdictOf(t, a, "S4")
	v.Status = "undecided"
	f := Of([]*result.Answer{a}, Options{Shipped: []*language.Study{smaug(t, "progress")}})
	if len(f.Answer) != 2 || f.Answer[0].String() != "This run decides nothing yet." ||
		!strings.HasPrefix(f.Answer[1].String(), "Not decided here: ") {
		t.Errorf("%v", f.Answer)
	}
	if f.Axis == nil || len(f.Axis.Means) != 2 || f.Studies[0].Key < 0 {
		t.Errorf("no picture: %+v", f.Axis)
	}
	commands := func(f *Front) (out []string) {
		for _, n := range f.Next {
			out = append(out, n.Command)
		}
		return out
	}
	if got := commands(f); !slices.Equal(got, []string{"memcost run smaug --full", "memcost run --resume " + a.Dir}) {
		t.Errorf("next %q", got)
	}
	f = frontOf(t, "empty")
	if f.Axis != nil || f.Studies[0].Key != -1 || len(f.Next) != 1 ||
		f.Studies[0].Answer.String() != "Nothing of it was measured." {
		t.Errorf("empty: %+v", f.Studies[0])
	}
	if f = frontOf(t, "healthy"); len(f.Next) != 0 {
		t.Errorf("nothing is open, and next is %v", f.Next)
	}
}

// A run of shipped studies names those that it left out, each with its command; a run of a
// user's package misses none.
func TestLeftOut(t *testing.T) {
	st := smaug(t, "healthy")
	second, third := *st, *st
	second.Name, third.Name = "second", "third"
	all := []*language.Study{st, &second, &third, {Name: "other"}, {Name: "limits", Command: "memcost limits"}}
	a := recordedRun(t, "healthy")
	if f := Of([]*result.Answer{a}, Options{Shipped: all}); len(f.LeftOut) != 0 {
		t.Errorf("who asks for one study is told of others: %v", f.LeftOut)
	}
	for _, name := range []string{"second", "third"} {
		s := a.Studies[0]
		s.Name = name
		a.Studies = append(a.Studies, s)
	}
	f := Of([]*result.Answer{a}, Options{Shipped: all})
	want := []LeftOut{{"other", "memcost run other"}, {"limits", "memcost limits"}}
	if !slices.Equal(f.LeftOut, want) {
		t.Errorf("%v", f.LeftOut)
	}
	if f = Of([]*result.Answer{a}, Options{Shipped: all[3:]}); len(f.LeftOut) != 0 {
		t.Errorf("of a package: %v", f.LeftOut)
	}
}

// A sentence of today is not said of a claim that was another one at the time of the run.
func TestClaimHasChanged(t *testing.T) {
	st := smaug(t, "healthy")
	for i := range st.Claims {
		st.Claims[i].Source += " # and more"
	}
	f := Of([]*result.Answer{recordedRun(t, "healthy")}, Options{Shipped: []*language.Study{st}})
	if len(f.Advice) != 0 || len(f.Axis.Crossings) != 0 {
		t.Errorf("%v, %v", f.Advice, f.Axis.Crossings)
	}
	const says = "The heap costs 3.1 [3.0, 3.2] times the stack at 64 KiB and 7.9 [7.7, 8.1] times at 1 KiB."
	if f.Answer[0].String() != says { // the general form
		t.Errorf("%s", f.Answer[0])
	}
}

// A user's package opens with its time and its allocations, not with the question of the shipped studies;
// it has no file beside its benchmarks, or claims nothing.
func TestUsersPackage(t *testing.T) {
	a := recordedRun(t, "healthy")
	f := Of([]*result.Answer{a}, Options{})
	if f.Axis != nil || f.Advice == nil || len(f.Advice) != 0 || f.Studies[0].Claim != "S1" || len(f.Answer) != 3 ||
		!strings.HasPrefix(f.Answer[0].String(), "Of 6 cases Smaug/place=heap/size=65536 takes longest, 4.1 µs [3.9, 4.3], and ") ||
		f.Answer[1].String() != "Smaug/place=heap/size=65536 allocates most: 64 KiB in 1 allocation." ||
		!strings.HasPrefix(f.Answer[2].String(), "Heap costs 3.1 [3.0, 3.2] times stack at 64 KiB and 7.9") ||
		!f.Own || strings.Contains(f.Question, "memory") {
		t.Errorf("%s %v %+v", f.Question, f.Answer, f.Axis)
	}
	a.Studies[0].Claims, a.Studies[0].Study = nil, nil
	a.Studies[0].Answer = a.Studies[0].Answer[:1]
	if f = Of([]*result.Answer{a}, Options{}); len(f.Answer) != 3 ||
		!strings.HasPrefix(f.Answer[2].String(), "Heap costs 3.1") {
		t.Errorf("first ratio: %v", f.Answer)
	}
	a.Studies[0].Answer = nil
	if f = Of([]*result.Answer{a}, Options{}); len(f.Answer) != 2 || len(f.Next) != 0 {
		t.Errorf("nothing: %v, %v", f.Answer, f.Next)
	}
}

// A file of someone else's has an answer, and no run to go on with.
func TestForeignFile(t *testing.T) {
	a, err := result.ReadFile("theirs.txt", strings.NewReader("BenchmarkA/size=64-2 1 100 ns/op\n"+
		"BenchmarkA/size=128-2 1 200 ns/op\n"), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := Of([]*result.Answer{a}, Options{})
	if len(f.Answer) != 1 || !strings.HasPrefix(f.Answer[0].String(), "Of 2 cases A/size=128 takes longest") || len(f.Next) != 0 ||
		f.Advice == nil || f.Trust.Warnings == nil {
		t.Errorf("%+v", f)
	}
}

// Every front can be written as JSON, and no list of it is null.
func TestFrontIsJSON(t *testing.T) {
	for _, name := range []string{"healthy", "arms", "busy", "damaged", "empty", "escapes", "numbers", "partial",
		"progress", "troubled"} {
		data, err := json.Marshal(frontOf(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, list := range []string{"answer", "tools", "studies", "advice", "published_that_fail", "left_out", "next",
			"warnings", "means", "points", "sizes", "crossings", "missing", "claims", "lines", "cells", "short"} {
			if strings.Contains(string(data), `"`+list+`":null`) {
				t.Errorf("%s: %s is null", name, list)
			}
		}
	}
}

// A conclusion that its author's figures bear out and that fails here is named, with both
// figures; one that fails in both, or is undecided here, is not.
func TestPublishedThatFail(t *testing.T) {
	a := recordedRun(t, "healthy")
	c := judged(&a.Studies[0], "S3") // fails here
	theirs := result.Element{Label: c.Verdicts[0].Deciding.Label, Figure: figures.Figure{Value: 1.5e9, Unit: "B/sec",
		Lo: figures.Number(math.NaN()), Hi: figures.Number(math.NaN())}}
	published := result.Verdict{Data: "Someone's machine (2020)", Published: true, Status: "holds", Says: "holds",
		Elements: []result.Element{theirs}, Deciding: &theirs}
	c.Verdicts = append(c.Verdicts, published)
	f := Of([]*result.Answer{a}, Options{})
	if len(f.Failing) != 1 || f.Failing[0].Claim != "S3" || !strings.Contains(f.Failing[0].Published, "1.5 GB/s") ||
		!strings.Contains(f.Failing[0].Here, "49 GB/s [47, 51]") {
		t.Errorf("%+v", f.Failing)
	}
	lines := f.Studies[0].Lines
	if len(lines) != 2 || lines[0].Name != "here" || !lines[1].Published || lines[1].Name != "Someone's machine" {
		t.Errorf("%+v", lines)
	}
	if says := lines[1].Cells[2].Says; !strings.HasPrefix(says, "consistent ") {
		t.Errorf("a published figure without an interval says %q", says)
	}
	c.Verdicts[1].Elements[0].Label = "size=7"
	if f = Of([]*result.Answer{a}, Options{}); len(f.Failing) != 0 {
		t.Errorf("it was published of another size: %+v", f.Failing)
	}
	c.Verdicts[1].Status = "fails"
	if f = Of([]*result.Answer{a}, Options{}); len(f.Failing) != 0 {
		t.Errorf("it fails there, too: %+v", f.Failing)
	}
}
