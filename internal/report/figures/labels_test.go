package figures

import (
	"slices"
	"testing"
)

// A load stands in words behind the size, as GOMAXPROCS does.
func TestLoadsInWords(t *testing.T) {
	for label, want := range map[string]string{
		"size=65536":                "64 KiB",
		"size=65536 busy=0":         "64 KiB with no core busy",
		"size=65536 busy=1":         "64 KiB beside 1 busy core",
		"size=65536 busy=3":         "64 KiB beside 3 busy cores",
		"size=65536 cpu=2 busy=all": "64 KiB on 2 CPUs with all cores busy",
		"X/busy=1/size=65536-2":     "",
		"/small":                    "small",
		"/a/b size=1024 cpu=2":      "a/b, 1 KiB on 2 CPUs",
	} {
		if got := Place(label); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
	for value, want := range map[string]string{"1024 busy=1": "1 KiB, beside 1 busy core",
		"1024-2 busy=all": "1 KiB-2, with all cores busy", "all": "all"} {
		if got := Label("size", value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	rows := []string{"2048 busy=0", "1024 busy=1", "512", "1024 busy=0"}
	slices.SortStableFunc(rows, CompareLabels)
	if want := []string{"512", "1024 busy=1", "1024 busy=0", "2048 busy=0"}; !slices.Equal(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
}
