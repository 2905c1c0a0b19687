package language

import (
	"math"
	"testing"
)

func TestCondRange(t *testing.T) {
	inf := math.Inf(1)
	keys := KeyValues{{"size", "1024"}, {"limit", "4KiB"}, {"place", "heap"}}
	tests := []struct {
		text           string
		lo, hi         float64
		loOpen, hiOpen bool
		err            string
	}{
		{"> 1", 1, inf, true, true, ""},
		{">= 1", 1, inf, false, true, ""},
		{"< 1e-6", -inf, 1e-6, true, true, ""},
		{"<= 1", -inf, 1, true, false, ""},
		{"== 1", 1, 1, false, false, ""},
		{"in 1..2.5", 1, 2.5, false, false, ""},
		{"in -2..-1", -2, -1, false, false, ""},
		{">= size", 1024, inf, false, true, ""},
		{"== limit", 4096, 4096, false, false, ""},
		{"> depth", 0, 0, false, false, "bound depth: the case's name has no key depth"},
		{"> place", 0, 0, false, false,
			`bound place: its value in the case's name: "heap" is not a number such as 1, 0.5, 1e-6, 20us or 64KiB`},
	}
	for _, tt := range tests {
		l := &lexer{s: tt.text}
		c, err := l.cond(unit{name: "x", written: "x", factor: 1})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		lo, hi, loOpen, hiOpen, err := c.Range(keys.Get)
		if err != nil {
			if err.Error() != tt.err {
				t.Errorf("%s: error %q, want %q", tt.text, err, tt.err)
			}
			continue
		}
		if lo != tt.lo || hi != tt.hi || loOpen != tt.loOpen || hiOpen != tt.hiOpen || tt.err != "" {
			t.Errorf("%s: %v..%v open %v %v, want %+v", tt.text, lo, hi, loOpen, hiOpen, tt)
		}
		roundTrip(t, c, Value)
	}
	if _, _, _, _, err := (Cond{}).Range(keys.Get); err == nil {
		t.Error("the zero condition has a range")
	}
}

func TestParseNumber(t *testing.T) {
	tests := []struct {
		text string
		want float64
		dim  dimension
	}{
		{"1", 1, plain}, {"-0.5", -0.5, plain}, {"1e-6", 1e-6, plain}, {"+1E3", 1000, plain}, {".5", 0.5, plain},
		{"20us", 20e-6, seconds}, {"20µs", 20e-6, seconds}, {"20μs", 20e-6, seconds}, {"1e3ns", 1e-6, seconds},
		{"0.4ns", 0.4e-9, seconds}, {"3ms", 3e-3, seconds}, {"2s", 2, seconds},
		{"64KiB", 65536, catalogBytes}, {"1.5MiB", 1572864, catalogBytes}, {"2GiB", 2 << 30, catalogBytes}, {"1TiB", 1 << 40, catalogBytes},
		{"8B", 8, catalogBytes}, {"4kB", 4000, catalogBytes}, {"4KB", 4000, catalogBytes}, {"4MB", 4e6, catalogBytes}, {"4GB", 4e9, catalogBytes},
	}
	for _, tt := range tests {
		got, dim, err := parseNumber(tt.text)
		if err != nil || got != tt.want || dim != tt.dim {
			t.Errorf("parseNumber(%q) = %v, %v, %v; want %v, %v", tt.text, got, dim, err, tt.want, tt.dim)
		}
	}
	for _, text := range []string{"", "x", "inf", "NaN", "0x10", "1_000", "1e999", "1kib", "ns", "1..2", "--1", "1 B"} {
		if v, _, err := parseNumber(text); err == nil {
			t.Errorf("parseNumber(%q) = %v, want an error", text, v)
		}
	}
}
