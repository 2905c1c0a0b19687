package gctrace

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	barY   = regexp.MustCompile(`<rect class="gc-(mark|stw-gc|stw-tool)" x="[^"]*" y="(\d+)" width="[^"]*" height="(\d+)"`)
	labelY = regexp.MustCompile(`<text x="4" y="(\d+)">(marking|stopped by the collector|stopped by the tool)</text>`)
)

// The names of the lanes stand above their bars: a capital is at most as high as its
// size of 11, letters go 3 below the line, and the paper around them is 2 wide.
func TestLaneNamesCoverNoBar(t *testing.T) {
	for name, text := range captured(t) {
		var b strings.Builder
		if err := readAll(t, text, Options{}).Picture(&b); err != nil {
			t.Fatal(err)
		}
		bars, labels := barY.FindAllStringSubmatch(b.String(), -1), labelY.FindAllStringSubmatch(b.String(), -1)
		if len(bars) == 0 || len(labels) != 3 {
			t.Fatalf("%s: %d bars, %d names of lanes", name, len(bars), len(labels))
		}
		for _, l := range labels {
			base, _ := strconv.Atoi(l[1])
			for _, r := range bars {
				top, _ := strconv.Atoi(r[2])
				height, _ := strconv.Atoi(r[3])
				if top < base+3+2 && top+height > base-11-2 {
					t.Fatalf("%s: %q at %d is over a bar of %s from %d to %d", name, l[2], base, r[1], top, top+height)
				}
			}
		}
	}
}

// The bars leave nothing out.
func TestBarsAreWhole(t *testing.T) {
	for name, text := range captured(t) {
		for _, b := range readAll(t, text, Options{}).bars() {
			if last := b.Parts[len(b.Parts)-1]; last.X+last.W < 99.999 || last.X+last.W > 100.001 {
				t.Errorf("%s: the parts of %q are %.3f%%", name, b.Title, last.X+last.W)
			}
		}
	}
}
