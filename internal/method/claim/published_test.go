package claim

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

func stackheap(t *testing.T) (*language.Study, []*Judged) {
	t.Helper()
	st, err := language.ReadDir(os.DirFS("../../../study"), "stackheap")
	if err != nil {
		t.Fatal(err)
	}
	var files []File
	for _, name := range []string{"m1max", "rpi4"} {
		f, err := os.Open(filepath.Join("../../../published/stackheap-" + name + ".txt"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var rs []*benchfmt.Result
		for r := benchfmt.NewReader(f, name); r.Scan(); {
			rs = append(rs, r.Result().(*benchfmt.Result).Clone())
		}
		files = append(files, File{Name: name, Results: rs})
	}
	return st, JudgePublished(st, files)
}

// Each verdict on the published figures, worked out by hand from the two tables
// of the study: the figure that decides and where it stands.
func TestPublishedVerdicts(t *testing.T) {
	type verdict struct {
		status Status
		figure float64 // of the deciding place, to three digits
		label  string
	}
	no := verdict{status: Untested}
	want := map[string][2]verdict{
		// 12.16/0.9928; 128.0/4.329
		"C1": {{Holds, 12.2, "Bilbo/place=heap-10"}, {Holds, 29.6, "Bilbo/place=heap-4"}},
		// of neighbours: ln(379.5/159.3)/ln 2; ln(1004/312.9)/ln 2 on the Pi,
		// where least squares over the 11 sizes give 1.25 already
		"C2": {{Fails, 1.25, "exponent size=2048..4096"}, {Fails, 1.25, Exponent}},
		// 1024/78.36 ns; 1024/312.9 ns: outside both ranges on both machines
		"C3-m1": {{Fails, 13.1e9, "size=1024"}, {Fails, 3.27e9, "size=1024"}},
		"C3-pi": {{Fails, 13.1e9, "size=1024"}, {Fails, 3.27e9, "size=1024"}},
		// nearest to 1: 53725/51753; 52303/16979
		"C4": {{Holds, 1.04, "size=524288"}, {Holds, 3.08, "size=32768"}},
		// outside 2..10 first: 4091/2170; 3624/312.9
		"C5": {{Fails, 1.89, "size=32768"}, {Fails, 11.6, "size=1024"}},
		// nearest to 1 from 128 KiB: 53725/51753; 237656/73383
		"C6-faster":      {{Holds, 1.04, "size=524288"}, {Holds, 3.24, "size=131072"}},
		"C6-predictable": {{Fails, 1.41, "exponent size=131072..262144"}, {Fails, 1.79, Exponent}},
		// the study's tables of Smaug have no allocation counts
		"C7-allocs": {no, no},
		"C7-bytes":  {{Holds, 1024, "size=1024"}, {Holds, 1024, "size=1024"}},
		// two machines have a slope, and decide nothing
		// nobody published these
		"down": {no, no}, "down-method": {no, no}, "down-range": {no, no}, "down-map": {no, no}, "up-256": {no, no},
		"C8": {{Undecided, -0.55, "exponent over 2 kinds of machines"}, {Undecided, -0.55,
			"exponent over 2 kinds of machines"}},
	}
	st, judged := stackheap(t)
	if len(st.Claims) != len(want) {
		t.Errorf("%d claims, %d pinned", len(st.Claims), len(want))
	}
	for d, j := range judged {
		if len(j.Invalid) > 0 {
			t.Errorf("%s: INVALID %v", j.Name, j.Invalid)
		}
		for _, v := range j.Verdicts {
			w, ok := want[v.Claim]
			if !ok {
				t.Errorf("%s is not pinned", v.Claim)
				continue
			}
			got := verdict{status: v.Status}
			if v.Deciding >= 0 {
				e := v.Elements[v.Deciding]
				got.figure, got.label = e.Figure, e.Label
				if !e.Single {
					t.Errorf("%s, %s: published figures are single ones: %+v", v.Claim, j.Name, e)
				}
			}
			if got.status != w[d].status || got.label != w[d].label ||
				math.Abs(got.figure-w[d].figure) > 0.005*math.Abs(w[d].figure) {
				t.Errorf("%s, %s: %+v, want %+v", v.Claim, j.Name, got, w[d])
			}
		}
	}
}

// By the figures themselves: which sizes contradict C5 and C3-pi.
func TestPublishedFailures(t *testing.T) {
	_, judged := stackheap(t)
	for d, want := range []map[string]string{
		{"C5": "size=32768 size=65536"},
		{"C5": "size=1024"},
	} {
		for _, v := range judged[d].Verdicts {
			var failed []string
			for _, e := range v.Elements {
				if e.Status == Fails {
					failed = append(failed, e.Label)
				}
			}
			if w, ok := want[v.Claim]; ok && strings.Join(failed, " ") != w {
				t.Errorf("%s %s fails at %v, want %s", judged[d].Name, v.Claim, failed, w)
			}
			// The Pi's 3.27 GB/s at 1 KiB fall to 367 MB/s at 1 MiB, the only
			// size at which the study's conclusion holds.
			if v.Claim == "C3-pi" && d == 1 && (len(failed) != 10 || failed[9] != "size=524288") {
				t.Errorf("C3-pi fails at %v", failed)
			}
		}
	}
}

// Figures of one's own are judged as published ones are, and shown with the
// interval that they came with; what others published is not judged against them.
func TestFiguresOfOnesOwn(t *testing.T) {
	st := claimStudy(t, [2]string{"claim", "V place:stack sec/op < 20e-9 for every size"},
		[2]string{"claim", "R place:heap / place:stack > 1 for every size"})
	result := func(name string, v float64) *benchfmt.Result {
		return &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: []benchfmt.Value{sec(v)}}
	}
	interval := stat.Interval{Lo: 5e-9, Hi: 50e-9} // on both sides of the bound
	j := JudgeFigures(st, []File{{Name: "mine", Results: []*benchfmt.Result{result("X/place=stack/size=1", 10e-9),
		result("X/place=heap/size=1", 30e-9)},
		Times: map[string]Estimate{"X/place=stack/size=1": {Centre: 10e-9, Medians: 10e-9, Interval: interval,
			Rounds: 9}}}}, nil)[0]
	if j.Published || !j.Single {
		t.Errorf("published %v, single %v", j.Published, j.Single)
	}
	for i, figure := range []float64{10e-9, 3} {
		v := j.Verdicts[i]
		if v.Status != Holds || math.Abs(v.Elements[0].Figure/figure-1) > 1e-12 || !v.Elements[0].Single {
			t.Errorf("%s: %+v", v.Claim, v)
		}
	}
	if e := j.Estimate(j.Cases[0], "sec/op"); e.Interval != interval || e.Rounds != 9 {
		t.Errorf("%+v", e)
	}
	if e := j.Ratio(j.Cases[1], j.Cases[0], "sec/op"); e.Interval.Lo == e.Interval.Lo {
		t.Errorf("the ratio of single figures has the interval %v", e.Interval)
	}
}
