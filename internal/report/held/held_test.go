package held

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"memcost/internal/measure/plan"
	"memcost/internal/method/curve"
	"memcost/internal/method/stat"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/show/terminal"
)

const mib = 1 << 20

// figure is one of a setting whose ratio to the program as it is has an interval.
func figure(value float64, unit string, lo, ratio, hi float64) compare.Figure {
	f := compare.Figure{Value: figures.Single(value, 9, unit), Ratio: figures.Single(ratio, 9, "").Between(stat.Interval{Lo: lo, Hi: hi})}
	switch {
	case lo > 1.03 || hi < 1/1.03:
		f.Verdict = compare.Changed
	case lo > 1/1.03 && hi < 1.03:
		f.Verdict = compare.Equivalent
	default:
		f.Verdict = compare.Undecided
	}
	return f
}

// setting is one that holds, peaks and takes CPU time at these ratios, each known within 1%.
func setting(name string, held, peak, cpu float64) Setting {
	around := func(value float64, unit string, r float64) compare.Figure {
		return figure(value*r, unit, r*0.99, r, r*1.01)
	}
	s := Setting{Name: name, Peak: around(552*mib, "peak-RSS-bytes", peak), CPU: around(1, "cpu-sec/op", cpu),
		Wall: around(1, "sec/op", 1), Area: around(4e9, "area-byte-sec", held), env: []string{name + "=1"},
		Held: []Held{{8, around(490*mib, "held-8s-bytes", held)}}}
	s.Says = s.verdict()
	return s
}

func report(others ...Setting) *Report {
	own := setting("glibc", 1, 1, 1)
	for _, f := range []*compare.Figure{&own.Peak, &own.CPU, &own.Wall, &own.Area, &own.Held[0].Resident} {
		f.Ratio, f.Verdict = figures.NoFigure(), ""
	}
	own.Says = "baseline"
	r := &Report{Own: "glibc", Command: "./prog 'a b'", Margin: 0.03, Rounds: 9, Settings: append([]Setting{own}, others...), Idle: 8}
	r.dominate()
	r.advise()
	r.Says = r.sentence()
	return r
}

// The setting that holds least is advised, with its price; among those that hold about as little the one that takes least CPU
// time; and what nobody needs is said to be dominated.
func TestAdvice(t *testing.T) {
	r := report(setting("EAGER", 0.02, 1, 1.4), setting("DECAY", 0.04, 1, 1.01), setting("WASTE", 1, 1, 2), setting("LATE", 0.5, 1, 1.0))
	if r.Best == nil || r.Best.Name != "DECAY" || r.Best.Line != "DECAY=1 ./prog 'a b'" {
		t.Fatalf("%+v", r.Best)
	}
	if want := "Peak 552 MiB; 8 s after the work 490 MiB are still resident; DECAY keeps 19.6 MiB for 1.01 [1.00, 1.02] times the CPU time"; !strings.HasPrefix(r.Says, want) {
		t.Errorf("%s", r.Says)
	}
	if r.Settings[3].Dominated == "" || r.Settings[1].Dominated != "" || r.Settings[2].Dominated != "" {
		t.Errorf("WASTE: %q, EAGER: %q, DECAY: %q", r.Settings[3].Dominated, r.Settings[1].Dominated, r.Settings[2].Dominated)
	}
	if r := report(setting("SAME", 1, 1, 1)); r.Best != nil || !strings.HasSuffix(r.Says, "; none of the others holds less.") {
		t.Errorf("%+v: %s", r.Best, r.Says)
	}
}

// What malloc says stands in the sentence, and where no setting helps what malloc_trim does.
func TestMalloc(t *testing.T) {
	r := report()
	r.Malloc = &plan.Arenas{Processes: 1, Arenas: 2, System: 500 * mib, Free: 483 * mib, Fast: 10 * mib, Before: 490 * mib, After: 10 * mib,
		Took: 38 * time.Millisecond}
	if want := "Peak 552 MiB; 8 s after the work 490 MiB are still resident, of which up to 493 MiB are free inside malloc; malloc_trim(0) gives back 480 MiB in 38 ms."; r.sentence() != want {
		t.Errorf("%s", r.sentence())
	}
}

// The answer takes 45 lines at most, whatever there is to say, and is JSON.
func TestShown(t *testing.T) {
	var many []Setting
	for _, name := range strings.Fields("A B C D E F G H I J K L M N O P") {
		many = append(many, setting("a long name of a setting of malloc "+name, 0.5, 1, 1.2))
	}
	r := report(many...)
	r.Notes, r.Warnings = make([]string, 6), make([]string, 6)
	for i := range r.Notes {
		r.Notes[i], r.Warnings[i] = strings.Repeat("a note of some length ", 8), strings.Repeat("a warning ", 20)
	}
	own := &r.Settings[0]
	for at := time.Duration(0); at <= 10*time.Second; at += time.Second {
		own.band.Rows = append(own.band.Rows, curve.BandRow{At: at, Low: 1, Mid: float64(at), Top: 2, N: 1})
		own.Curve = append(own.Curve, CurveRow{figures.Drawn(at.Seconds()), 1, 2, 3})
	}
	own.band.Work = 2 * time.Second
	own.Phases = []Phase{{"start", 0, 1, mib}}
	var b bytes.Buffer
	if err := terminal.Write(&b, r.Document(), terminal.Style{Width: 100}.Screen()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n > 45 {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
	for _, want := range []string{"│", "the work ends, 2 s", "To paste, for 1.2"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// A program that gave its memory back before its work was over has a time for that, too.
func TestReturned(t *testing.T) {
	at := func(v float64, kept, runs int) string {
		f := compare.Figure{Value: figures.NoFigure()}
		f.Value.Value = figures.Number(v)
		s := Setting{Returned: f, Kept: kept, Runs: runs}
		return s.returned(8).String()
	}
	for _, x := range []struct {
		got, want string
	}{{at(math.NaN(), 3, 3), "more than 8 s"}, {at(2, 1, 3), "more than 8 s in 1 of 3"}, {at(2, 0, 3), "2 s"},
		{at(math.NaN(), 0, 3), "at the end of the work"}, {at(0, 0, 3), "at the end of the work"}, {at(math.NaN(), 0, 0), "–"}} {
		if x.got != x.want {
			t.Errorf("%q, want %q", x.got, x.want)
		}
	}
}
