package session

import (
	"regexp"
	"testing"
	"time"
)

// After the first cases, and not before, the calibration says how long it and the run take.
func TestEstimateComesAfterTheFirstCases(t *testing.T) {
	module(t)
	l := &listener{}
	r, err := Begin(t.Context(), told(t, l), Options{Args: []string{"."}, Go: "local", CPU: []int{1, 2, 3, 4, 5}, Rounds: 2,
		Sample: time.Millisecond, Layouts: 1, NoGuards: true, Results: "results"})
	if r != nil {
		defer r.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	estimate := regexp.MustCompile(`^calibrating ([0-9])/5, about \S+ left; the run takes about \S+ in all, at most$`)
	var at []string
	for _, s := range l.steps {
		if m := estimate.FindStringSubmatch(s); m != nil {
			at = append(at, m[1])
		}
	}
	if len(at) != 2 || at[0] != "3" || at[1] != "4" {
		t.Errorf("estimates after cases %q: %q", at, l.steps)
	}
}
