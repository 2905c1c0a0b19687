package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wideTable returns a table of two keys whose rows only the second tells apart.
func wideTable() Table {
	t := Table{Title: "cases", Header: []string{"case", "config", "time/op", "B/op", "allocs/op", "vs go1.26.8",
		"other"}, Keys: 2, Left: map[int]bool{1: true, 6: true}}
	for i, config := range []string{"go1.26.8", "go1.26.8 GOGC=off", "go1.27.4", "go1.27.4 GOGC=off"} {
		t.add("Smaug/place=heap/size=65536-2", config, "4.12 µs ±3%", "64 KiB", "1",
			fmt.Sprintf("1.0%d× [1.02, 1.08] undecided", i), "12 widgets")
	}
	return t
}

// Every part of a table has the columns that tell its rows apart, and each column
// once.
func TestPartsKeepTheKeys(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		parts := wideTable().fit(width)
		if len(parts) < 2 {
			t.Fatalf("%d columns: %d parts", width, len(parts))
		}
		var columns []string
		for i, p := range parts {
			if !slices.Equal(p.Header[:2], []string{"case", "config"}) || p.different(2) != 4 {
				t.Errorf("%d columns: part %d has rows that cannot be told apart: %v", width, i, p)
			}
			if p.total() > width || strings.HasSuffix(p.Title, " (continued)") != (i > 0) {
				t.Errorf("%d columns: part %d, %q, is %d wide", width, i, p.Title, p.total())
			}
			columns = append(columns, p.Header[2:]...)
		}
		if want := wideTable().Header[2:]; !slices.Equal(columns, want) {
			t.Errorf("%d columns: the parts have %q, want %q", width, columns, want)
		}
	}
}

// The same at the terminal: the rows of several configurations name theirs in each part.
func TestContinuedCasesNameTheirConfiguration(t *testing.T) {
	a := readRun(t, "arms")
	s := render(t, a, Style{Width: 80, Long: true})
	_, continued, found := strings.Cut(s, "cases (continued)\n")
	if !found {
		t.Fatalf("the cases fit:\n%s", s)
	}
	continued, _, _ = strings.Cut(continued, "\n\n")
	for i, line := range strings.Split(continued, "\n") {
		if i > 0 && !strings.Contains(line, "go1.26.8") && !strings.Contains(line, "go1.27.4") {
			t.Errorf("whose is %q?", line)
		}
	}
}

// Two names are not cut to the same.
func TestKeysAreNotCutToOne(t *testing.T) {
	table := Table{Header: []string{"case", "time"}}
	for _, middle := range []string{"malloc", "calloc"} {
		table.add("A/very/long/"+strings.Repeat("x", 20)+middle+strings.Repeat("y", 40), "1 ns")
	}
	for _, p := range table.fit(40) {
		if p.different(1) != 2 || p.total() > 40 {
			t.Errorf("%v", p)
		}
	}
}
