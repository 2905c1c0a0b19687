package units

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestQuantity(t *testing.T) {
	for _, tt := range []struct {
		v          float64
		unit, want string
	}{
		{999.4e-9, "sec/op", "999 ns"},
		{999.5e-9, "sec/op", "999 ns"}, {999.6e-9, "sec/op", "1.00 µs"}, {1e-6, "sec/op", "1.00 µs"},
		{9.996e-9, "sec/op", "10.0 ns"}, {99.96e-9, "sec/op", "100 ns"}, {0.9996e-9, "sec/op", "1.00 ns"},
		{0, "sec/op", "0 ns"}, {1e-12, "sec/op", "0.00100 ns"}, {1e-15, "sec/op", "1e-06 ns"},
		{-2e-9, "sec/op", "-2.00 ns"},
		{59.99, "sec", "60.0 s"}, {1e300, "sec/op", "1e+300 s"}, {math.NaN(), "sec/op", "–"},
		{math.Inf(1), "sec/op", "–"},
		{10.5e9, "B/sec", "10.5 GB/s"}, {999.6e6, "B/sec", "1.00 GB/s"}, {12, "B/sec", "12 B/s"},
		{1 << 20, "B/op", "1 MiB"}, {262152, "B/op", "256 KiB"}, {1023, "B/op", "1023 B"},
		{1023.9, "B/op", "1.00 KiB"}, {1<<20 - 1, "B/op", "1.00 MiB"},
		{0, "B/op", "0 B"}, {16, "B/op", "16 B"}, {0.4, "B/op", "0.400 B"}, {3 << 50, "B/op", "3072 TiB"},
		{1, "allocs/op", "1"}, {0.4, "allocs/op", "0.400"}, {1.009, "allocs/op", "1.01"},
		{123456, "allocs/op", "123456"}, {1234567, "allocs/op", "1.23e+06"},
		{2.6449, "", "2.64×"}, {0.9996, "", "1.00×"}, {999.6, "", "1000×"}, {12.5, "things", "12.5 things"},
	} {
		got := Quantity(tt.v, tt.unit)
		// Figures in base units are not exact in binary: 1 µs is 0.999…98e-6/1e-6.
		if got != tt.want && !(tt.want == "1.00 µs" && got == "1 µs") && !(tt.want == "-2.00 ns" && got == "-2 ns") {
			t.Errorf("Quantity(%v, %q) = %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}

func TestInterval(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		v, lo, hi  float64
		unit, want string
	}{
		{2, 1.9, 2.2, "", "[1.90, 2.20]"}, {2, 1.9, 2.2, "ratio", "[1.90, 2.20]"},
		{1e-6, 0.98e-6, 1.01e-6, "sec/op", "±2%"}, {1e-6, 0.999e-6, 1.001e-6, "sec/op", "±0.1%"},
		{1e-6, 0.5e-6, 1.5e-6, "sec/op", "±50%"}, {56.4e-9, 28e-9, 113e-9, "sec/op", "[28.0, 113]"},
		{40e9, 10e9, 70e9, "B/sec", "[10, 70]"}, {2048, 1024, 8192, "B/op", "[1, 8]"},
		{0.36, 0.09, 0.64, "gc-share", "[9, 64]"}, {0.36, 0.35, 0.37, "gc-share", "[35, 37]"},
		{100, 10, 200, "things", "[10, 200]"}, {1, 0, 2, "", "[≤ 2]"}, {1, 0.5, inf, "sec/op", "[≥ 0.500]"},
		{6.4, 5.2, inf, "", "[≥ 5.20]"}, {6.4, 0, inf, "", ""},
		{1, nan, nan, "sec/op", ""},
	} {
		if got := Interval(tt.v, tt.lo, tt.hi, tt.unit); got != tt.want {
			t.Errorf("Interval(%v, %v, %v, %q) = %q, want %q", tt.v, tt.lo, tt.hi, tt.unit, got, tt.want)
		}
	}
}

// No figure is printed outside of its own printed interval, whichever digits it has.
func TestFigureInsideItsInterval(t *testing.T) {
	number := regexp.MustCompile(`[0-9.]+(e[+-][0-9]+)?`)
	read := func(s string) (out []float64) {
		for _, x := range number.FindAllString(s, -1) {
			v, err := strconv.ParseFloat(x, 64)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			out = append(out, v)
		}
		return out
	}
	inside := func(how, figure, ends string) {
		if f, e := read(figure), read(ends); len(e) == 2 && len(f) > 0 && (f[0] < e[0] || f[0] > e[1]) {
			t.Errorf("%s: %s %s", how, figure, ends)
		}
	}
	near := []float64{0.0004, 0.0402, 0.0949, 0.0995, 0.3604, 0.8951, 0.905, 0.9946, 0.99499, 0.9951, 0.9996, 1.0004, 1.0009,
		1.0451, 1.0949, 1.0951, 1.144, 1.16, 1.26, 1.96, 9.949, 9.996, 10.04, 15.96, 99.94, 99.96, 999.4, 1023.7}
	for _, v := range near {
		for _, below := range []float64{0, 1e-4, 0.004, 0.07, 0.4} {
			for _, above := range []float64{0, 1e-4, 0.004, 0.07, 0.4} {
				for _, unit := range []string{"", "sec/op", "B/op", "allocs/op", "things", "gc-share"} {
					scale := map[string]float64{"sec/op": 1e-6, "gc-share": 1e-2}[unit]
					if scale == 0 {
						scale = 1
					}
					x, lo, hi := scale*v, scale*v*(1-below), scale*v*(1+above)
					figure, ends := BriefWith(x, lo, hi, unit)
					inside("in a sentence, "+unit, figure, ends)
					if ends := Interval(x, lo, hi, unit); !strings.Contains(ends, "±") {
						inside("in a table, "+unit, Quantity(x, unit), ends)
					}
				}
			}
		}
	}
}
