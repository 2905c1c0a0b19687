package result

import (
	"testing"

	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// A floor makes no row of a table by itself.
func TestFloorAlone(t *testing.T) {
	columns := []language.Column{{Header: "default"}, {Header: "floor, a no-op", Floor: true}}
	one, none, invalid := figures.Figure{Value: 1}, figures.NoFigure(), figures.NoFigure()
	invalid.Note = "INVALID"
	for _, tt := range []struct {
		row  []figures.Figure
		want bool
	}{{[]figures.Figure{none, one}, true}, {[]figures.Figure{one, one}, false}, {[]figures.Figure{one, none}, false},
		{[]figures.Figure{none, none}, false}, {[]figures.Figure{invalid, one}, false}} {
		if got := floorAlone(columns, tt.row); got != tt.want {
			t.Errorf("%v: %v", tt.row, got)
		}
	}
}
