package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJournalGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aa.jsonl")
	open := func(setting string) *journal {
		t.Helper()
		j, err := openJournal(path, setting)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := open("a")
	for i := 1; i <= 3; i++ {
		for _, m := range []string{sequential, interleaved} {
			if err := j.add(repetition{Setting: "a", Number: i, Method: m,
				Pairs: []pair{{Case: "X", Ratio: 1}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 1, 40} {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o666); err != nil {
			t.Fatal(err)
		}
		j := open("a")
		want := 6
		if cut > 0 {
			want = 5
		}
		if len(j.done) != want || j.has(3, interleaved) != (cut == 0) || !j.has(3, sequential) {
			t.Errorf("%d bytes cut off: %d are done", cut, len(j.done))
		}
		if j.has(3, interleaved) {
			continue
		}
		if err := j.add(repetition{Setting: "a", Number: 3, Method: interleaved}); err != nil {
			t.Fatal(err)
		}
		if again := open("a"); len(again.done) != 6 {
			t.Errorf("%d bytes cut off: after the repair %d are done", cut, len(again.done))
		}
	}
	if other := open("b"); len(other.done) != 0 {
		t.Errorf("another setting takes over %d", len(other.done))
	}
	if got := open("a").of(sequential, 2); len(got) != 2 {
		t.Errorf("%d of the first two", len(got))
	}
	if err := os.WriteFile(path, append([]byte("damage\n"), whole...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(path, "a"); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a damaged line: %v", err)
	}
}

func TestAlarmTables(t *testing.T) {
	var seq, inter []repetition
	for i := 1; i <= 30; i++ {
		s := repetition{Number: i, Seconds: 10}
		m := repetition{Number: i, Seconds: 12}
		for c := range aaCases {
			name := fmt.Sprintf("C%d-2", c)
			s.Pairs = append(s.Pairs, pair{Case: name, Different: c < 2, Ratio: 1 + 0.3*float64(c%2), Rounds: 10})
			p := pair{Case: name, Ratio: 1, Rounds: 10}
			if i == 1 {
				p.Different, p.Ratio = c == 0, 1/1.3
			}
			if i > 20 {
				p.Rounds = 7
			}
			m.Pairs = append(m.Pairs, p)
		}
		seq, inter = append(seq, s), append(inter, m)
	}
	text := strings.Join(strings.Fields(alarmTable(seq, inter)+alarmsByCase(seq, inter)), " ")
	for _, want := range []string{
		"| identical pairs | 210 | 210 |",
		"| 60: 28.6% (22.6 to 35.2%) | 1: 0.5% (0.0 to 2.6%) |", // of all; R: binom.test(60, 210), binom.test(1, 210)
		"at least | | 140: 66.7% ",
		"enough rounds | | 1: 0.7% (0.0 to 3.9%) |", // binom.test(1, 140)
		"25% apart | 90: 42.9% (36.1 to 49.8%) | 7: 3.3% (1.4 to 6.7%) |",
		"| 10 (10 to 10) | 10 (7 to 10) |",
		"| C0 | 30 of 30 | 1 of 30 | 0.0% | 30.0% |",
		"| C1 | 30 of 30 | 0 of 30 | 30.0% | 30.0% |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
