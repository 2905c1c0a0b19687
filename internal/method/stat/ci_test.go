package stat

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The rounds in docs/ci.md are those of the first look at which an interval of normal rounds is as narrow as the table
// says.
func TestRoundsInCI(t *testing.T) {
	text, err := os.ReadFile("../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	percent := func(s string) float64 {
		v, err := strconv.ParseFloat(strings.Trim(s, " ±%"), 64)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		return v / 100
	}
	var columns []float64
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case strings.HasPrefix(line, "| spread of a round"):
			for _, c := range cells[1:] {
				columns = append(columns, percent(c))
			}
		case columns != nil && strings.HasPrefix(line, "| ") && len(cells) == len(columns)+1:
			rows++
			for i, h := range columns {
				want := roundsFor(percent(cells[0]), math.Log1p(h))
				if got := strings.TrimSpace(cells[i+1]); got != fmt.Sprint(want) {
					t.Errorf("%s, ±%v%%: %s, want %d", cells[0], 100*h, got, want)
				}
			}
		}
	}
	if rows < 5 {
		t.Errorf("the table has %d rows", rows)
	}
}

// roundsFor returns the rounds of the first look whose interval is no wider than half to either side, of normal rounds: a
// critical value of Student's t for each level, for the standard deviation is not known.
func roundsFor(sd, half float64) int {
	for _, look := range (Looks{}).Plan(0.05) {
		n := float64(look.Rounds)
		if look.reached() && student(n-1).upper(look.Level/2)*sd/math.Sqrt(n) <= half {
			return look.Rounds
		}
	}
	return math.MaxInt
}
