package machine

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		in                string
		busy, idle, steal float64
		ok                bool
	}{
		{"cpu  100 20 30 4000 50 6 7 80 9 10\ncpu0 1 1 1 1\n", 1.63, 40.5, 0.8, true},
		{"cpu 1 2 3 4\n", 0.06, 0.04, nan, true}, // Linux 2.4
		{"cpu 1 2 3 4 5 6 7", 0.19, 0.09, nan, true},
		{"cpu  1 2 3\ncpu0 1 2 3 4\n", 0, 0, 0, false},
		{"cpu0 1 2 3 4 5 6 7 8\n", 0, 0, 0, false},
		{"cpu  1 2 x 4\n", 0, 0, 0, false},
		{"cpu  99999999999999999999 2 3 4\n", 0, 0, 0, false},
		{"", 0, 0, 0, false},
	} {
		busy, idle, steal, ok := parseStat([]byte(c.in))
		if !near(busy, c.busy) || !near(idle, c.idle) || !near(steal, c.steal) || ok != c.ok {
			t.Errorf("%q: busy %v idle %v steal %v %v; want %v %v %v %v", c.in, busy, idle, steal, ok, c.busy, c.idle,
				c.steal, c.ok)
		}
	}
}

func TestParsePSI(t *testing.T) {
	for _, c := range []struct {
		in      string
		seconds float64
		ok      bool
	}{
		{"some avg10=0.92 avg60=0.84 avg300=0.32 total=8746589\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
			8.746589, true},
		{"full avg10=0.00 total=7\nsome avg10=0.00 total=5", 5e-6, true},
		{"full avg10=0.00 total=7\n", 0, false},
		{"some avg10=0.00 total=\n", 0, false},
		{"some avg10=0.00 total=1x\n", 0, false},
		{"some avg10=0.00\n", 0, false},
		{"", 0, false},
	} {
		if seconds, ok := parsePSI([]byte(c.in)); !near(seconds, c.seconds) || ok != c.ok {
			t.Errorf("%q: %v %v; want %v %v", c.in, seconds, ok, c.seconds, c.ok)
		}
	}
}

func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b))
}

// FuzzParseStat compares with a plain parser, on what both call well formed.
func FuzzParseStat(f *testing.F) {
	f.Add("cpu  3944 0 2892 257411 281 0 92 31 0 0\ncpu0 1734 0 1249 129246 25 0 22 12 0 0\n")
	f.Add("cpu  1 2 3 4\n")
	f.Add("cpu  18446744073709551615 2 3 4 5 6 7 8")
	f.Add("cpu 1 2 3 -4")
	f.Fuzz(func(t *testing.T, s string) {
		busy, idle, steal, ok := parseStat([]byte(s))
		if !ok {
			return
		}
		line, _, _ := strings.Cut(s, "\n")
		words := strings.Split(line, " ")
		var v []float64
		for _, w := range words[1:] {
			if w == "" {
				continue
			}
			n, err := strconv.ParseUint(w, 10, 64)
			if err != nil || len(v) == 8 {
				break
			}
			v = append(v, float64(n)*tick)
		}
		if len(v) < 4 || words[0] != "cpu" {
			t.Fatalf("%q was accepted", s)
		}
		full := append(v, make([]float64, 8-len(v))...)
		if !near(busy, full[0]+full[1]+full[2]+full[5]+full[6]) || !near(idle, full[3]+full[4]) {
			t.Errorf("%q: busy %v idle %v", s, busy, idle)
		}
		if want := full[7]; len(v) == 8 && !near(steal, want) || len(v) < 8 && !math.IsNaN(steal) {
			t.Errorf("%q: steal %v, want %v", s, steal, want)
		}
	})
}

// FuzzParsePSI compares with a plain parser.
func FuzzParsePSI(f *testing.F) {
	f.Add("some avg10=0.92 avg60=0.84 avg300=0.32 total=8746589\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
	f.Add("full total=3\nsome total=4 total=5\n")
	f.Add("some total=18446744073709551616")
	f.Fuzz(func(t *testing.T, s string) {
		seconds, ok := parsePSI([]byte(s))
		var want float64
		var wantOK bool
		for line := range strings.SplitSeq(s, "\n") {
			if strings.HasPrefix(line, "some ") {
				_, total, found := strings.Cut(line, " total=")
				n, err := strconv.ParseUint(total, 10, 64)
				if found && err == nil {
					want, wantOK = float64(n)*1e-6, true
				}
				break
			}
		}
		if ok != wantOK || ok && seconds != want {
			t.Errorf("%q: %v %v, want %v %v", s, seconds, ok, want, wantOK)
		}
	})
}
