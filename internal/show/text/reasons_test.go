package text

import (
	"strings"
	"testing"
)

// The first arm's reasons are printed in full, and of the others what differs.
func TestReasonsOfSeveralArms(t *testing.T) {
	a := readRun(t, "arms")
	_, first, _ := strings.Cut(render(t, a, Style{}), reasonsTitle)
	first, second, found := strings.Cut(first, "go1.27.4, where it differs from go1.26.8")
	if !found {
		t.Fatalf("the second arm is not compared with the first:\n%s", first)
	}
	second, _, _ = strings.Cut(second, "\n\n")
	for text, want := range map[string][2]int{ // of the first, of the second
		"place=heap/size=1024": {1, 0}, "place=stack/size=1024": {1, 1}, "place=heap/size=4096": {1, 1},
		"~R0": {2, 0}, "~r0": {0, 0}, "(conditional)": {1, 1}, "no heap allocation": {1, 0},
		"allocated by the runtime": {0, 1}, "return it by value": {0, 0},
	} {
		if got := [2]int{strings.Count(first, text), strings.Count(second, text)}; got != want {
			t.Errorf("%q: %d times, want %d, in\n%s\nand\n%s", text, got, want, first, second)
		}
	}
	long := render(t, a, Style{Long: true})
	for _, want := range []string{"usual fix: return it by value", "from return ~R0 (return)",
		"from return ~r0 (return)"} {
		if !strings.Contains(long, want) {
			t.Errorf("with --long there is no %q", want)
		}
	}
}
