package figures

import (
	"testing"

	"memcost/internal/catalog"
)

// Of a curve the ends are told; where there is but one value of the key, in several
// rows, the least and the most.
func TestSpan(t *testing.T) {
	at := func(label string, v float64) point { return point{label: label, Figure: Figure{Value: Number(v)}} }
	p := &Picture{Kind: catalog.Curve}
	for _, tt := range []struct {
		points      []point
		first, last string
	}{
		{[]point{at("4096-2", 3), at("512-2", 9), at("65536-2", 1)}, "512-2", "65536-2"},
		{[]point{at("16384-1", 3), at("16384-2", 1), at("16384-4", 9)}, "16384-2", "16384-4"},
	} {
		first, last := p.span(tt.points)
		if first.label != tt.first || last.label != tt.last {
			t.Errorf("%v: %s to %s, want %s to %s", tt.points, first.label, last.label, tt.first, tt.last)
		}
	}
}
