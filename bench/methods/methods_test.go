package methods

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The depression scale of Hollander, Wolfe and Chicken, Nonparametric Statistical
// Methods, table 3.1: V = 40, p = 0.0391 two-sided, and an interval of (−0.786, −0.010).
func TestSignedRankOfATextbook(t *testing.T) {
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	var d []float64
	for i := range x {
		d = append(d, y[i]-x[i])
	}
	if p := SignedRank(d); math.Abs(p-0.0390625) > 1e-12 {
		t.Errorf("p = %v, want 0.0390625", p)
	}
	lo, hi := SignedRankInterval(d, 0.05)
	if math.Abs(lo - -0.786) > 5e-4 || math.Abs(hi - -0.010) > 5e-4 {
		t.Errorf("interval [%v, %v], want [-0.786, -0.010]", lo, hi)
	}
}

func TestSignedRankOfFew(t *testing.T) {
	for n, want := range []float64{1, 1, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625} {
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(i + 1)
		}
		if p := SignedRank(d); math.Abs(p-want) > 1e-12 {
			t.Errorf("%d differences of one sign: p = %v, want %v", n, p, want)
		}
		if lo, hi := SignedRankInterval(d, 0.05); math.IsInf(lo, -1) != (n < 6) || math.IsInf(hi, 1) != (n < 6) {
			t.Errorf("%d differences: interval [%v, %v]", n, lo, hi)
		}
	}
	if p := SignedRank([]float64{0, 0, 1, 2, 3, 4, 5, 6}); math.Abs(p-0.03125) > 1e-12 {
		t.Errorf("zeros are not left out: p = %v", p)
	}
}

// Every choice of signs, counted one by one, with ties.
func TestSignedRankCountsSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := make([]float64, 1+rng.IntN(10))
		for i := range d {
			d[i] = float64(1+rng.IntN(4)) * float64(2*rng.IntN(2)-1)
		}
		ranks, positive := doubledRanks(d)
		total := 0
		for _, r := range ranks {
			total += r
		}
		low, all := 0, 1<<len(ranks)
		for signs := range all {
			sum := 0
			for i, r := range ranks {
				sum += r * (signs >> i & 1)
			}
			if sum <= min(positive, total-positive) {
				low++
			}
		}
		if want := min(1, 2*float64(low)/float64(all)); math.Abs(SignedRank(d)-want) > 1e-12 {
			t.Fatalf("%v: p = %v, want %v (%d signs)", d, SignedRank(d), want, bits.Len(uint(all)))
		}
	}
}

// Beyond the exact distribution the normal one goes on where it ended.
func TestSignedRankOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := make([]float64, exactRanks+1)
	for i := range d {
		d[i] = rng.NormFloat64() + 0.1
	}
	if exact, normal := SignedRank(d[:exactRanks]), SignedRank(d); math.Abs(math.Log(exact/normal)) > 0.5 {
		t.Errorf("p = %v of %d, %v of one more", exact, exactRanks, normal)
	}
}

// The checks of tango's own tests: check_iqr_variance_thresholds and
// check_outliers_zero_iqr in tango-bench/src/lib.rs.
func TestTangoLeavesOutliersOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	for range 100 {
		var x, zero []float64
		for range 20 {
			x, zero = append(x, between(-50, 50)), append(zero, 0)
		}
		for range 10 {
			low, high := between(-1000, -200), between(200, 1000)
			x, zero = append(x, low, high), append(zero, low, high)
		}
		if lo, hi, ok := tangoRange(x); !ok || lo < -50 || hi > 50 {
			t.Fatalf("range [%v, %v], %v", lo, hi, ok)
		}
		if lo, hi, ok := tangoRange(zero); !ok || lo != 0 || hi != 0 {
			t.Fatalf("without spread between the quartiles: range [%v, %v], %v", lo, hi, ok)
		}
	}
	// As many of the largest are left out as there are small outliers: none here.
	if _, _, ok := tangoRange([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000, 2000}); ok {
		t.Error("large outliers alone are left out, which tango does not do")
	}
}

func TestTangoThresholds(t *testing.T) {
	// Differences shift ± 100: mean shift, standard error 100·√(n/(n−1))/√n = 100/√(n−1).
	sides := func(n int, base, shift float64) (a, b []float64) {
		for i := range n {
			a, b = append(a, base), append(b, base+shift+100*float64(1-2*(i%2)))
		}
		return a, b
	}
	for _, x := range []struct {
		base, shift float64
		want        int
	}{
		{1000, 26.1, 1}, {1000, 25.9, 0}, {1000, -26.1, -1}, // z of 2.61, 2.59 with 101 pairs
		{10000, 90, 0}, {10000, 101, 1}, // 0.9% and 1.01% of the baseline
	} {
		// 102 pairs: an even number, so that half are above: standard error 100/√101.
		a, b := sides(102, x.base, x.shift*math.Sqrt(100.0/101))
		if x.base > 5000 {
			a, b = sides(102, x.base, x.shift)
		}
		if got := Tango(a, b); got != x.want {
			t.Errorf("%v on %v: %d, want %d", x.shift, x.base, got, x.want)
		}
	}
	if Tango(nil, nil) != 0 || Tango([]float64{1}, []float64{1}) != 0 {
		t.Error("no pair, or one without a difference, is called different")
	}
}

func TestBenchstatNeedsFour(t *testing.T) {
	low, high := []float64{1, 2, 3, 4}, []float64{11, 12, 13, 14}
	if Benchstat(low, high) != 1 || Benchstat(high, low) != -1 {
		t.Error("4 and 4 apart are not called different (p = 0.029)")
	}
	if Benchstat(low[:3], high[:3]) != 0 || Benchstat(nil, nil) != 0 || Benchstat(low, low) != 0 {
		t.Error("3 and 3 (p = 0.1), none, or equal sides are called different")
	}
}

// made is a recording with a planted change: a round a second, noise of sigma.
func made(rng *rand.Rand, rounds, rate int, sigma float64) *Recording {
	r := &Recording{Rate: rate, Span: float64(rounds), Pairs: map[string][]*Pair{}}
	for i := range rounds {
		r.Ends = append(r.Ends, float64(i+1))
		drift := math.Exp(0.2 * math.Sin(float64(i)/9))
		r.Pairs["K"] = append(r.Pairs["K"], &Pair{1e-3 * drift * math.Exp(sigma*rng.NormFloat64()),
			1e-3 * drift * (1 + float64(rate)/100) * math.Exp(sigma*rng.NormFloat64())})
	}
	return r
}

// What is known of the rules is found again on made-up rounds: Wilcoxon's test keeps its
// level at one look and breaks it at many, a change is found the more often the larger it
// is and the more seconds there are, and pairs find more than unpaired sides that drift.
func TestPlantedChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var findings []Finding
	seconds := []float64{10, 20, 60}
	const recordings = 400
	for range recordings {
		for _, rate := range []int{0, 1, 2, 5, 10} {
			r := made(rng, 60, rate, 0.05)
			for _, s := range seconds {
				b := r.Blocks(s)[0]
				findings = append(findings, OfPairs(r, "K", b, s)...)
				base, cand := r.Of("K", b)
				findings = append(findings, OfSides(Interleaved, "K", base, cand, rate, s))
			}
		}
	}
	figures := Count(findings)
	at := func(m Method, rate int, s float64) Figure {
		return Sum(figures, func(f Figure) bool { return f.Method == m && f.Rate == rate && f.Seconds == s })
	}
	for _, s := range seconds {
		if f := at(Wilcoxon, 0, s); f.Of != recordings || f.Power() > 0.09 {
			t.Errorf("Wilcoxon, one look at %v s: %d false alarms of %d", s, f.Found, f.Of)
		}
		if f := at(Wilcoxon, 5, s); f.Intervals != recordings || float64(f.Covered) < 0.91*recordings {
			t.Errorf("Wilcoxon at %v s: %d of %d intervals hold the truth", s, f.Covered, f.Intervals)
		}
	}
	if f := at(WilcoxonLooks, 0, 60); f.Power() < 0.12 {
		t.Errorf("Wilcoxon, looked at after every round: only %d false alarms of %d", f.Found, f.Of)
	}
	for _, m := range []Method{Wilcoxon, TangoRule} {
		for i, rate := range []int{1, 2, 5} {
			if small, large := at(m, rate, 60), at(m, []int{2, 5, 10}[i], 60); small.Found > large.Found {
				t.Errorf("%s finds %d of %d%%, and %d of a larger change", m, small.Found, rate, large.Found)
			}
		}
		if few, many := at(m, 5, 10), at(m, 5, 60); few.Found >= many.Found || many.Power() < 0.9 {
			t.Errorf("%s finds %d in 10 s, %d in 60 s", m, few.Found, many.Found)
		}
	}
	if pairs, sides := at(Wilcoxon, 5, 60), at(Interleaved, 5, 60); pairs.Found <= sides.Found {
		t.Errorf("pairs find %d, unpaired sides that drift %d", pairs.Found, sides.Found)
	}
	long, ok := Enough(figures, Wilcoxon, "K", 5, 0.8)
	if short, ok10 := Enough(figures, Wilcoxon, "", 10, 0.8); !ok || !ok10 || short > long {
		t.Errorf("5%% takes %v s (%v), 10%% takes %v s (%v)", long, ok, short, ok10)
	}
	if _, ok := Enough(figures, Wilcoxon, "", 1, 0.8); ok {
		t.Error("1% is found in 60 s")
	}
}

func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		r := &Recording{Span: 60}
		for at := 0.0; at < r.Span; {
			at += 0.2 + 4*rng.Float64()
			r.Ends = append(r.Ends, at)
		}
		for _, seconds := range []float64{3, 5, 20, 60} {
			last, until := 0, 0.0
			blocks := r.Blocks(seconds)
			if len(blocks) < int(r.Span/seconds) {
				t.Fatalf("%d blocks of %v s in %v s", len(blocks), seconds, r.Span)
			}
			for _, b := range blocks {
				if b.First != last || b.Start < until {
					t.Fatalf("block %+v after round %d at %v s", b, last, until)
				}
				if b.Last > b.First && r.Ends[b.Last-1]-b.Start > seconds || b.Start+seconds > r.Span {
					t.Fatalf("block %+v takes more than %v s", b, seconds)
				}
				if b.First > 0 && b.Start < r.Ends[b.First-1] {
					t.Fatalf("block %+v begins in a round of the one before", b)
				}
				last, until = b.Last, b.Start
			}
		}
	}
	if b := (&Recording{Span: 10}).Blocks(20); len(b) != 0 {
		t.Errorf("%d blocks that are longer than the recording", len(b))
	}
}

func TestLooksAt(t *testing.T) {
	r := &Recording{Span: 200}
	for i := range 400 {
		r.Ends = append(r.Ends, float64(i+1)/2)
	}
	seconds := []float64{10, 50, 200}
	looks := LooksAt(r, seconds)
	for _, s := range seconds {
		for _, b := range r.Blocks(s) {
			if !slices.Contains(looks[b.First], b.Last) {
				t.Errorf("no look at the end of %+v", b)
			}
		}
	}
	if n := len(looks[0]); n < 24 || n > 120 {
		t.Errorf("%d looks at 400 rounds", n)
	}
	if first := looks[0][:20]; first[0] != 1 || first[19] != 20 {
		t.Errorf("the first looks are %v", first)
	}
}

func TestOfLooks(t *testing.T) {
	looks := []Look{
		{Kind: "K", First: 4, Last: 10, Lo: 0, Hi: math.Inf(1)},
		{Kind: "K", First: 4, Last: 11, Differs: 1, Lo: 1.001, Hi: 1.1, Interval: true},
		{Kind: "K", First: 4, Last: 12, Differs: 1, Changed: 1, Lo: 1.02, Hi: 1.08, Interval: true},
		{Kind: "K", First: 4, Last: 13, Lo: 0.99, Hi: 1.04, Interval: true},
		{Kind: "other", First: 4, Last: 11, Changed: -1}, {Kind: "K", First: 0, Last: 11, Changed: -1},
	}
	for last, want := range map[int][2]Finding{
		10: {{Sign: 0}, {Sign: 0}},
		11: {{Sign: 0}, {Sign: 1, Interval: true, Covers: true}},
		13: {{Sign: 1}, {Sign: 1, Interval: true}}, // decided stays decided; the last interval leaves 1.05 out
	} {
		got := OfLooks(looks, "K", Block{First: 4, Last: last}, 5, 20)
		for i, m := range []Method{Changed, Differs} {
			want[i].Method, want[i].Kind, want[i].Rate, want[i].Seconds = m, "K", 5, 20
			if got[i] != want[i] {
				t.Errorf("up to round %d: %+v, want %+v", last, got[i], want[i])
			}
		}
	}
}

func TestCount(t *testing.T) {
	figures := Count([]Finding{
		{Method: Wilcoxon, Kind: "K", Rate: 5, Seconds: 5, Sign: 1, Interval: true, Covers: true},
		{Method: Wilcoxon, Kind: "K", Rate: 5, Seconds: 5, Sign: -1, Interval: true},
		{Method: Wilcoxon, Kind: "K", Seconds: 5, Sign: -1}, {Method: Changed, Kind: "K", Seconds: 5}})
	want := []Figure{{Changed, "K", 0, 5, 0, 0, 1, 0, 0}, {Wilcoxon, "K", 0, 5, 1, 0, 1, 0, 0},
		{Wilcoxon, "K", 5, 5, 1, 1, 2, 2, 1}}
	if !slices.Equal(figures, want) {
		t.Errorf("%+v, want %+v", figures, want)
	}
}

// The picture is well-formed, all of it lies inside, and it names every method that it
// shows.
func TestPicture(t *testing.T) {
	var figures []Figure
	for i, m := range All {
		for _, rate := range []int{0, 1, 2, 5, 10} {
			for _, s := range []float64{5, 10, 60} {
				figures = append(figures, Figure{Method: m, Kind: "K", Rate: rate, Seconds: s, Found: i, Of: 7})
			}
		}
	}
	for _, some := range [][]Figure{figures, figures[:1], nil} {
		text := Picture(some, `5% < 10% & "more"`)
		words := checkSVG(t, text)
		if !strings.Contains(words, `5% < 10% & "more"`) {
			t.Error("the title is not there")
		}
		for _, d := range drawn {
			if shown := slices.ContainsFunc(some, func(f Figure) bool { return f.Method == d.method }); shown !=
				strings.Contains(words, d.name) {
				t.Errorf("%s: in the legend %v, shown %v", d.name, !shown, shown)
			}
		}
		if len(some) > 1 && strings.Count(text, "<circle") != len(some)+len(All) {
			t.Errorf("%d points of %d figures", strings.Count(text, "<circle"), len(some))
		}
		if !strings.Contains(text, "prefers-color-scheme:dark") {
			t.Error("it does not follow the reader's preference")
		}
	}
}

// checkSVG decodes a picture, looks that every place lies in its view, and returns its
// words.
func checkSVG(t *testing.T, text string) string {
	t.Helper()
	var words strings.Builder
	var view [4]float64
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words.String()
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch token := token.(type) {
		case xml.CharData:
			words.Write(token)
		case xml.StartElement:
			for _, a := range token.Attr {
				if a.Name.Local == "viewBox" {
					if _, err := fmt.Sscan(a.Value, &view[0], &view[1], &view[2], &view[3]); err != nil {
						t.Fatal(err)
					}
				}
				most := 0.0
				switch a.Name.Local {
				case "x", "x1", "x2", "cx":
					most = view[2]
				case "y", "y1", "y2", "cy":
					most = view[3]
				default:
					continue
				}
				if v, err := strconv.ParseFloat(a.Value, 64); err != nil || !(v >= 0 && v <= most) {
					t.Errorf("<%s %s=%q> lies outside (%v)", token.Name.Local, a.Name.Local, a.Value, err)
				}
			}
		}
	}
}
