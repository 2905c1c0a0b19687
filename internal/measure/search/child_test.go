package search

import (
	"reflect"
	"testing"
)

// What a dying program prints may run into the lines that are read.
func TestNumbers(t *testing.T) {
	text := "level 0 0\nlevel 4096 462848\nlevels 3\nlevel 12 runtime: goroutine stack " +
		"exceeds 1000000000-byte limit\n" +
		"level 5 -1\nfatal error: stack overflow\nlevel 18446744073709551615\nlevel 81"
	want := [][]float64{{0, 0}, {4096, 462848}, {5, -1}}
	if got := numbers(text, "level"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if m := overflow.FindStringSubmatch(text); m == nil || m[1] != "1000000000" {
		t.Errorf("the overflow is not seen: %v", m)
	}
}

func TestPower(t *testing.T) {
	for x, want := range map[float64]float64{2052: 2048, 2000: 2000, 2048: 2048, 536870912 + 32768: 536870912,
		3000: 3000, 0: 0, -5: -5} {
		if got := power(x); got != want {
			t.Errorf("power(%g) is %g, want %g", x, got, want)
		}
	}
}

// The first line is what other stacks take; small sizes drown in their pools.
func TestStackSizes(t *testing.T) {
	lines := [][]float64{{300 << 10}, {364 << 10}, {300<<10 + 2<<20}, {332<<10 + 4<<20}, {300<<10 + 512<<20}}
	if got, want := stackSizes(lines), []float64{2 << 20, 4 << 20, 512 << 20}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := stackSizes(nil); got != nil {
		t.Errorf("of nothing %v", got)
	}
}
