package certificate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/machine"
	"memcost/internal/method/stat"
)

var here = machine.Identity{ID: "00112233", CPUModel: "Some CPU", CPUs: 4, MemoryBytes: 8 << 30, System: "linux/amd64"}

// sound is a certificate with 3 false alarms in 612 comparisons and a coverage of 97.2%.
func sound() *Certificate {
	c := &Certificate{Format: Format, Method: stat.Method, Tool: "0.3.0", Made: time.Date(2026, 11, 22, 9, 30, 0, 0,
		time.UTC), Machine: here, Alpha: 0.05, Rounds: 10}
	for i, name := range []string{Quiet, CPU, Memory} {
		u := Condition{Name: name, Count: Count{Comparisons: 204, Alarms: i}}
		u.Known = []Slowdown{{By: 0.01, Comparisons: 250, Found: 10, Covered: 243, AtEnd: 245}}
		c.Under = append(c.Under, u)
	}
	c.Judge()
	return c
}

func TestSentence(t *testing.T) {
	for want, q := range map[string]*Quote{
		"This machine's certificate of 2026-11-22: 3 false alarms in 612 comparisons (at most 1.4%), truth inside " +
			"97.2% of the intervals.": QuoteOf(sound()),
		"This machine has no certificate; memcost certify makes one.":                        nil,
		"This machine has no certificate that counts: it is old. Run memcost certify again.": {Refused: "it is old"},
		"This machine did not pass memcost certify on 2026-11-22: 1 false alarm in 20 comparisons (at most 24.9%), " +
			"truth inside 100% of the intervals.": {Made: sound().Made, Comparisons: 20, Alarms: 1, AtMost: 0.2487,
			Known: 5, Covered: 5},
	} {
		if got := q.Sentence(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*Certificate)
		why   string // "" for a machine that is certified
	}{
		"sound":                  {func(c *Certificate) {}, ""},
		"18 false alarms of 612": {func(c *Certificate) { c.Under[0].Alarms = 15 }, ""},
		"too many": {func(c *Certificate) { c.Under[0].Alarms, c.Under[1].Alarms = 10, 10 },
			"false alarms in 612"},
		"too many beside one": {func(c *Certificate) { c.Under[2].Alarms = 18 }, "busy memory: at least"},
		"too few comparisons": {func(c *Certificate) { c.Under[1].Comparisons = 10 }, "a certificate takes 600"},
		"few known slowdowns": {func(c *Certificate) { c.Under[0].Known, c.Under[1].Known = nil, nil }, "takes 300"},
		"not covered":         {func(c *Certificate) { c.Under[0].Known[0].Covered = 190 }, "was inside 90.1%"},
		"processes failed":    {func(c *Certificate) { c.Under[0].Undecided = 100 }, "had no result"},
	} {
		c := sound()
		tt.spoil(c)
		c.Judge()
		why := strings.Join(c.Because, "\n")
		if c.Passed() != (tt.why == "") || !strings.Contains(why, tt.why) {
			t.Errorf("%s: %q, want %q", name, why, tt.why)
		}
	}
}

func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "below", "memcost")
	if _, err := Read(dir, here); !errors.Is(err, ErrNone) {
		t.Errorf("no certificate: %v", err)
	}
	path, err := sound().Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(dir, here)
	if err != nil || QuoteOf(c).Sentence() != QuoteOf(sound()).Sentence() {
		t.Errorf("%+v, %v", c, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := here
	other.ID = "44556677"
	if _, err := Read(dir, other); err == nil || !strings.Contains(err.Error(), "another machine (Some CPU, 4 CPUs") {
		t.Errorf("of another machine: %v", err)
	}
	if q := quote(Read(dir, other)); q == nil || !strings.Contains(q.Refused, "made on another machine") {
		t.Errorf("quoted of another machine: %+v", q)
	}
	for what, tt := range map[string]struct{ old, new, want string }{
		"older method": {fmt.Sprintf(`"method": %d`, stat.Method), `"method": 0`,
			fmt.Sprintf("made by method 0, and this is method %d", stat.Method)},
		"another format": {`"format": 1`, `"format": 7`, "has format 7"},
		"cut off":        {`"machine"`, "\x00", "is damaged"},
		"counts":         {`"false_alarms": 2`, `"false_alarms": 300`, "is damaged"},
		"forged":         {`"false_alarms": 2`, `"false_alarms": 100`, "its counts do not give its verdict"},
		"no date":        {`"made": "2026-11-22T09:30:00Z"`, `"made": "0001-01-01T00:00:00Z"`, "when and where"},
	} {
		spoiled := strings.Replace(string(text), tt.old, tt.new, 1)
		if spoiled == string(text) {
			t.Fatalf("%s: nothing was changed", what)
		}
		if err := os.WriteFile(path, []byte(spoiled), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(dir, here)
		if _, advice := hint.Split(err); err == nil || !strings.Contains(err.Error(), tt.want) || len(advice) != 1 ||
			advice[0] != again {
			t.Errorf("%s: %v, want %q", what, err, tt.want)
		}
	}
}

// Where the folder cannot be written to, there is an error and no half file.
func TestWriteFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := sound().Write(file); err == nil {
		t.Error("a file is taken for a folder")
	}
}
