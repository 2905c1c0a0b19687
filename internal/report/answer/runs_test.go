package answer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memcost/internal/method/claim"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// runsOf returns the recorded run n times, of as many machines.
func runsOf(t testing.TB, n int) []*result.Answer {
	t.Helper()
	var out []*result.Answer
	for i := range n {
		a := recordedRun(t, "healthy")
		a.Label = fmt.Sprintf("machine %d", i+1)
		a.Machine.Hostname = a.Label
		out = append(out, a)
	}
	return out
}

func set(t testing.TB, a *result.Answer, id string, status claim.Status) {
	t.Helper()
	verdictOf(t, a, id).Status = status
}

// The answer speaks of all machines that agree, and names the exceptions.
func TestMachinesAgree(t *testing.T) {
	shipped := Options{Shipped: []*language.Study{smaug(t, "healthy")}}
	for _, tt := range []struct {
		runs   int
		differ map[int]string // by the index of the run
		same   bool           // all of one machine
		want   string
	}{
		{runs: 1},
		{runs: 2, want: "On both machines claim S1 holds."},
		{runs: 3, want: "On all 3 machines claim S1 holds."},
		{runs: 3, same: true, want: "In all 3 runs claim S1 holds."},
		{runs: 2, differ: map[int]string{1: "fails"}, want: "Claim S1 holds on machine 1, and not on machine 2 (fails)."},
		{runs: 10, differ: map[int]string{4: "undecided"},
			want: "On 9 of 10 machines claim S1 holds; not on machine 5 (undecided)."},
		{runs: 10, differ: map[int]string{2: "fails", 4: "fails", 6: "fails", 8: "fails", 9: "fails"},
			want: "On 5 of 10 machines claim S1 holds; " +
				"not on machine 3 (fails), machine 5 (fails), machine 7 (fails) and 2 others."},
	} {
		answers := runsOf(t, tt.runs)
		for i, a := range answers {
			if status := tt.differ[i]; status != "" {
				set(t, a, "S1", claim.Status(status))
			}
			if tt.same {
				a.Machine.Hostname = "one"
			}
		}
		f := Of(answers, shipped)
		got := ""
		if len(f.Answer) > 1 {
			got = f.Answer[1].String()
		}
		if got != tt.want {
			t.Errorf("%d runs, %v: %q, want %q", tt.runs, tt.differ, got, tt.want)
		}
	}
}

// Of ten machines each has a line of the matrix, here first, and curves of its own; what is
// said, advised and counted is of here.
func TestTenMachines(t *testing.T) {
	answers := runsOf(t, 10)
	for _, a := range answers[1:] {
		set(t, a, "S1", "fails")
	}
	f := Of(answers, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	if len(f.Studies) != 1 || len(f.Studies[0].Lines) != 10 || f.Studies[0].Lines[0].Name != "here" ||
		f.Studies[0].Lines[9].Name != "machine 10" || f.Studies[0].Lines[9].Cells[0].Status != "fails" {
		t.Errorf("%+v", f.Studies)
	}
	for run := range 10 {
		if n := len(slices.DeleteFunc(slices.Clone(f.Axis.Means), func(m Mean) bool { return m.Run != run })); n != 2 {
			t.Errorf("run %d has %d curves", run, n)
		}
	}
	if f.Tally.All() != 5 || len(f.Advice) != 1 || f.Advice[0].Do != "Pass values up to 64 KiB" ||
		f.Run != answers[0].Dir {
		t.Errorf("%+v %+v", f.Tally, f.Advice)
	}
	if !slices.Equal(f.Axis.Missing, []string{"sync.Pool: not measured"}) {
		t.Errorf("%q", f.Axis.Missing)
	}
}

// A study that only another run has stands on its own card, and says nothing of here.
func TestStudyOfAnotherRun(t *testing.T) {
	answers := runsOf(t, 2)
	answers[1].Studies[0].Name = "other"
	st := smaug(t, "healthy")
	other := *st
	other.Name = "other"
	f := Of(answers, Options{Shipped: []*language.Study{st, &other}})
	if len(f.Studies) != 2 || f.Studies[0].Run != 0 || f.Studies[1].Run != 1 || f.Studies[1].Name != "other" {
		t.Fatalf("%+v", f.Studies)
	}
	if len(f.Answer) != 1 || len(f.Advice) != 1 || len(f.LeftOut) != 0 || f.Studies[1].Lines[0].Name != "machine 2" {
		t.Errorf("%v, advice %v, left out %v, %v", f.Answer, f.Advice, f.LeftOut, f.Studies[1].Lines)
	}
}

// Go versions are rows of one machine, and what changed between them stands in one sentence.
func TestGoVersions(t *testing.T) {
	f := frontOf(t, "arms")
	const want = "Against go1.26.8, of 7 cases 2 changed, 5 are equivalent and 0 undecided."
	if f.Releases != want || !slices.Equal(f.Tools, []string{"go1.26.8", "go1.27.4"}) {
		t.Errorf("%q, %q", f.Releases, f.Tools)
	}
	lines := f.Studies[0].Lines
	if len(lines) != 2 || lines[0].Name != "here" || lines[1].Name != "go1.27.4" {
		t.Errorf("%+v", lines)
	}
	data := map[string]int{}
	for _, m := range f.Axis.Means {
		data[m.Data]++
	}
	if data["go1.26.8"] != 2 || data["go1.27.4"] != 2 {
		t.Errorf("curves %v", data)
	}
	answers := runsOf(t, 2)
	answers[1] = recordedRun(t, "arms")
	f = Of(answers, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	if lines = f.Studies[0].Lines; len(lines) != 3 || !strings.HasSuffix(lines[2].Name, " · go1.27.4") {
		t.Errorf("%+v", lines)
	}
}

// What several machines say is begun by whose figures they are, and by what of the plan is missing.
func TestIncompleteMachines(t *testing.T) {
	answers := runsOf(t, 3)
	answers[1].Missing, answers[1].Planned = 4, 6
	f := Of(answers, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	if f.Whose != "On machine 1:" || f.Incomplete != "Not complete: 4 of 6 cases of machine 2 are in shards that are not here." {
		t.Errorf("%q, %q", f.Whose, f.Incomplete)
	}
	one := answers[1:2]
	f = Of(one, Options{Shipped: []*language.Study{smaug(t, "healthy")}})
	if f.Whose != "" || f.Incomplete != "Not complete: 4 of 6 cases are in shards that are not here." {
		t.Errorf("%q, %q", f.Whose, f.Incomplete)
	}
	for _, m := range f.Axis.Means {
		if m.Ends != "" && m.Ends != "further sizes may be in shards that are not here" {
			t.Errorf("%s ends at its last size: %q, and shards are missing", m.Label, m.Ends)
		}
	}
}

// Of one place nothing is said twice: not "2.5 at 512 KiB and 2.5 at 512 KiB".
func TestOnePlace(t *testing.T) {
	a := recordedRun(t, "healthy")
	v := verdictOf(t, a, "S1")
	v.Elements = v.Elements[:1]
	v.Deciding = &v.Elements[0]
	if s, ok := filled("It costs {lo} times at {lo.at} and {hi} times at {hi.at}.", v); ok {
		t.Errorf("%q", s.String())
	}
	if s, ok := filled("It costs {hi} times at {hi.at}.", v); !ok {
		t.Errorf("%q", s.String())
	}
}
