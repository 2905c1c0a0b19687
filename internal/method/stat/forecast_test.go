package stat

import (
	"math"
	"testing"
)

// A plain effect is expected to be decided within a few rounds, a hidden one never.
func TestTrend(t *testing.T) {
	plain := TrendOf([]float64{3.1, 3.2, 3.15, 3.12, 3.18, 3.11, 3.17, 3.14}, 1)
	if got := plain.Until(3.1, 3.5, math.Log(60), 8); got < 1 || got > 4 {
		t.Errorf("a plain effect that lacks a little takes %v rounds", got)
	}
	if got := plain.Until(3.1, 5, 4, 8); got != 0 {
		t.Errorf("what is reached takes %v rounds", got)
	}
	hidden := TrendOf([]float64{0.5, -0.6, 0.4, -0.5, 0.6, -0.4, 0.5, -0.5}, 1)
	if got := hidden.Until(-0.2, 0, 3, 8); !math.IsInf(got, 1) {
		t.Errorf("an effect on the other side takes %v rounds", got)
	}
	if got := Narrowing(10, 0.02, 0.01); got != 30 {
		t.Errorf("half the width takes %v rounds more than 10, want 30", got)
	}
	if Narrowing(10, 0.02, 0.03) != 0 || !math.IsInf(Narrowing(10, 0.02, 0), 1) {
		t.Error("an interval that is narrow enough, or never will be")
	}
}
