package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"memcost/internal/measure/sample"
)

// Cases are told in words, with the sizes and CPUs that tables print.
func TestCase(t *testing.T) {
	for name, want := range map[string]string{
		"Smaug/place=heap/size=65536-2":   "stackheap: smaug, place heap, 64 KiB on 2 CPUs",
		"InterfaceCall/cause=fmt":         "stackheap: interface call, cause fmt",
		"JSONDecode/small":                "stackheap: JSON decode, small",
		"X":                               "stackheap: x",
		"LRU":                             "stackheap: LRU",
		"Block/by=c-mmap/size=8/busy=all": "stackheap: block, by c-mmap, 8 B, busy all",
		"":                                "stackheap: ",
	} {
		if got := Case("stackheap", name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A line fits; what a reader waits for is left out last.
func TestLine(t *testing.T) {
	x := sample.Progress{Round: 2, Done: 24, Total: 89, Study: "stackheap", Case: "Smaug/place=heap/size=65536",
		Claims: 19, Decided: 7, Open: 14, Precision: 0.0213, Left: 83*time.Second + 400*time.Millisecond}
	for columns, want := range map[int]string{
		0: "stackheap: smaug, place heap, 64 KiB; round 3, sample 25 of 89; 7 of 19 claims decided, 14 questions " +
			"open, ±2.1%; about 1m23s left",
		110: "stackheap: smaug, place heap, 64 KiB; 7 of 19 claims decided, 14 questions open, ±2.1%; " +
			"about 1m23s left",
		80: "stackheap: smaug, place heap, 64 KiB; 7 of 19 claims decided; about 1m23s left",
		60: "stackheap; 7 of 19 claims decided; about 1m23s left",
		45: "7 of 19 claims decided; about 1m23s left",
		30: "about 1m23s left",
		1:  "about 1m23s left",
	} {
		if got := Line(x, columns); got != want {
			t.Errorf("%d columns:\n%q\nwant\n%q", columns, got, want)
		}
	}
	for columns := 20; columns < 140; columns++ {
		if got := Line(x, columns); utf8.RuneCountInString(got) > columns {
			t.Errorf("%d columns: %q", columns, got)
		}
	}
	x.Left = time.Second / 2
	if got := Line(x, 0); !strings.HasSuffix(got, "almost done") {
		t.Errorf("half a second is left: %q", got)
	}
}
