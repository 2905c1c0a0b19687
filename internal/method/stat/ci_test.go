package stat

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The rounds in docs/ci.md are those at which the t confidence sequence is as narrow as the table
// says, but no fewer than decide anything.
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
				n := MinRounds(0.05)
				for percent(cells[0])*tFactor(n, 0.05) > math.Log1p(h) {
					n++
				}
				if got := strings.TrimSpace(cells[i+1]); got != fmt.Sprint(n) {
					t.Errorf("a spread of %s, ±%g%%: %s rounds, want %d", cells[0], 100*h, got, n)
				}
			}
		}
	}
	if rows < 4 {
		t.Errorf("%d rows of the table were found", rows)
	}
}
