package figures

import (
	"math"
	"testing"
)

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
		if got := tt.f.String(); got != tt.want {
			t.Errorf("%+v: String() = %q, want %q", tt.f, got, tt.want)
		}
	}
}
