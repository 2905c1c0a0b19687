package stat

import (
	"math"
	"testing"
)

func TestInterval(t *testing.T) {
	inf := math.Inf(1)
	iv := Interval{1, 3}
	if !iv.Contains(1) || !iv.Contains(3) || iv.Contains(3.1) || iv.Excludes(3) || !iv.Excludes(0.9) {
		t.Error("the ends belong to an interval, and nothing beyond them")
	}
	if iv.Width() != 2 || Whole().Width() != inf || Empty().Width() != 0 {
		t.Error("widths are not 2, +Inf, 0")
	}
	if !iv.Within(1, 3) || iv.Within(1.1, 4) || iv.Within(0, 2.9) || !iv.Within(-inf, inf) ||
		Empty().Within(-inf, inf) {
		t.Error("Within is wrong")
	}
	if Empty().Contains(0) || !Empty().Excludes(0) || !Empty().IsEmpty() || Whole().IsEmpty() {
		t.Error("the empty interval is not empty")
	}
	nan := Interval{math.NaN(), math.NaN()}
	if nan.Contains(0) || nan.Excludes(0) || nan.IsEmpty() || Decide(nan, -1, 1) != Open {
		t.Error("a NaN interval says something")
	}
	if got := iv.Intersect(Interval{2, 9}); got != (Interval{2, 3}) {
		t.Errorf("[1, 3] ∩ [2, 9] = %v", got)
	}
	if got := iv.Intersect(Interval{4, 9}); got != Empty() {
		t.Errorf("[1, 3] ∩ [4, 9] = %v", got)
	}
}

func TestDecide(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		iv     Interval
		lo, hi float64
		want   Decision
	}{
		{Interval{-0.5, 0.5}, -1, 1, Inside},
		{Interval{-1, 1}, -1, 1, Inside},
		{Interval{1, 2}, -1, 1, Open},
		{Interval{1.01, 2}, -1, 1, Outside},
		{Interval{-3, -2}, -1, 1, Outside},
		{Interval{-3, 3}, -1, 1, Open},
		{Interval{0.1, 5}, 0, inf, Inside},
		{Interval{-5, -0.1}, 0, inf, Outside},
		{Whole(), -1, 1, Open},
		{Whole(), -inf, inf, Inside},
		{Empty(), -1, 1, Open},
		{Interval{2, 2}, 2, 2, Inside},
	} {
		if got := Decide(c.iv, c.lo, c.hi); got != c.want {
			t.Errorf("Decide(%v, %v, %v) = %v, want %v", c.iv, c.lo, c.hi, got, c.want)
		}
	}
}
