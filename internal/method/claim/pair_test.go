package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// paired lists the pairs of a claim on cases of these names, and those without a counterpart.
func paired(t *testing.T, text string, names ...string) (pairs, alone []string, err error) {
	t.Helper()
	l := newLab(1)
	for _, name := range names {
		l.add(name, "a", "", 0, sec(1))
	}
	c := claimStudy(t, [2]string{"claim", "C " + text}).Claims[0]
	num, den := Sides(c, l.set.All())
	ps, left, err := MatchClaim(c, num, den)
	for _, p := range ps {
		pairs = append(pairs, fmt.Sprintf("%s: %s / %s", p.Label, p.Num.Case, p.Den.Case))
	}
	for _, s := range left {
		alone = append(alone, s.Case)
	}
	return pairs, alone, err
}

func TestNamesArePairedByPosition(t *testing.T) {
	for _, x := range []struct {
		claim        string
		names        []string
		pairs, alone string
	}{
		{"BenchmarkOld / BenchmarkNew > 1", []string{"Old-2", "New-2"}, "Old-2: Old-2 / New-2", ""},
		{"Old / New > 1", []string{"Old/a-2", "New/b-2", "Old/b-2", "New/a-2"},
			"/a: Old/a-2 / New/a-2, /b: Old/b-2 / New/b-2", ""},
		{"Old / New > 1", []string{"Old/a-2", "New/a-2", "New/b-2"}, "/a: Old/a-2 / New/a-2", "New/b-2"},
		{"Old / New > 1", []string{"Old/a-2", "New-2"}, "", "Old/a-2, New-2"},
		// Keys stand anywhere, and only the others are counted.
		{"Old / New > 1", []string{"Old/a/n=1-2", "New/n=1/a-2"}, "/a n=1: Old/a/n=1-2 / New/n=1/a-2", ""},
		{"E/lib=x / E/lib=y > 1", []string{"E/n=1/lib=x-2", "E/lib=y/n=1-2"}, "n=1: E/n=1/lib=x-2 / E/lib=y/n=1-2", ""},
		{"E/lib=x / E/lib=y > 1 for every n", []string{"E/lib=x/n=1/align=8-2", "E/lib=y/n=1-2"},
			"n=1: E/lib=x/n=1/align=8-2 / E/lib=y/n=1-2", ""},
		{"Codec/old / Codec/new > 1", []string{"Codec/old/a-2", "Codec/new/a-2"},
			"/a: Codec/old/a-2 / Codec/new/a-2", ""},
		// A filter behind the name narrows it.
		{"Old n:1 / New n:1 > 1", []string{"Old/n=1-2", "New/n=1-2", "Old/n=2-2", "New/n=2-2"},
			"n=1: Old/n=1-2 / New/n=1-2", ""},
		// Conditions stay alike, unless the claim names one.
		{"Old / New > 1", []string{"Old", "Old-2", "New", "New-2"}, "Old: Old / New, Old-2: Old-2 / New-2", ""},
		{"Old / New > 1", []string{"Old/a-2", "New/a-2", "Old/a-4", "New/a-4"},
			"/a cpu=2: Old/a-2 / New/a-2, /a cpu=4: Old/a-4 / New/a-4", ""},
		{"Old-4 / Old-2 < 1", []string{"Old/a-2", "Old/a-4"}, "/a: Old/a-4 / Old/a-2", ""},
		{"Old/busy=1 / Old/busy=0 > 1", []string{"Old/busy=0/a-2", "Old/busy=1/a-2"},
			"/a: Old/busy=1/a-2 / Old/busy=0/a-2", ""},
	} {
		pairs, alone, err := paired(t, x.claim, x.names...)
		if p, a := strings.Join(pairs, ", "), strings.Join(alone, ", "); p != x.pairs || a != x.alone || err != nil {
			t.Errorf("%s of %q: %s; alone %s; %v", x.claim, x.names, p, a, err)
		}
	}
}

func TestAmbiguousPairsAreAnError(t *testing.T) {
	_, _, err := paired(t, "Old / New > 1 for every n", "Old/n=1/m=1-2", "Old/n=1/m=2-2", "New/n=1-2")
	if err == nil || !strings.Contains(err.Error(), "are on the same side") {
		t.Errorf("%v", err)
	}
}

// A claim on names finds a planted effect in each of its pairs.
func TestClaimOnNames(t *testing.T) {
	l := newLab(7)
	for round := range 20 {
		for _, part := range []string{"small", "large"} {
			l.add("Old/"+part+"-2", "a", "", round, sec(l.noisy(3e-6, 0.02)))
			l.add("New/"+part+"-2", "a", "", round, sec(l.noisy(1e-6, 0.02)))
		}
	}
	v := l.verdict(t, "BenchmarkOld / BenchmarkNew > 2")
	var labels []string
	for _, e := range v.Elements {
		labels = append(labels, e.Label)
	}
	slices.Sort(labels)
	if v.Status != Holds || !slices.Equal(labels, []string{"/large", "/small"}) || v.Scope.Noun != "case" {
		t.Errorf("%s at %q, %+v", v.Status, labels, v.Scope)
	}
	if v := l.verdict(t, "BenchmarkOld / BenchmarkNew < 2"); v.Status != Fails {
		t.Errorf("the contrary: %s", v.Status)
	}
}
