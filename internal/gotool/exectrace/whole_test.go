package exectrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/exp/trace"

	"memcost/internal/testkit"
)

// prefix is what the generations of a trace hold, up to one.
type prefix struct {
	events int64
	span   time.Duration // to the last event
}

// prefixes are those that may be told of a trace when what follows cannot be read, by
// Go's reader alone.
func prefixes(t *testing.T, whole []byte) (all []prefix) {
	t.Helper()
	r, err := trace.NewReader(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	var start, last trace.Time
	var events int64
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case start == 0:
			start = e.Time()
		case e.Kind() == trace.EventSync:
			all = append(all, prefix{events, last.Sub(start)})
		default:
			events++
		}
		last = e.Time()
	}
}

// told fails if of a piece of a trace something is told but its generations up to one,
// with nothing stretched beyond the last event of it. It returns how many are told.
//
// A time that is off by so little that the reader does not mind is not to be known.
func told(t *testing.T, piece []byte, want []prefix) int {
	t.Helper()
	tr, err := Read(bytes.NewReader(piece), Options{})
	if err != nil {
		if !strings.Contains(err.Error(), "\nhint: ") || strings.Contains(err.Error(), "a fault of this program") ||
			strings.Count(err.Error(), "\n") != 1 {
			t.Error(err)
		}
		return 0
	}
	n := slices.IndexFunc(want, func(p prefix) bool {
		return tr.Events == p.events && (tr.Span-p.span).Abs() <= p.span/1000
	}) + 1
	if n == 0 || tr.Generations != n {
		t.Errorf("%d generations, %d events in %v are told: %q; the trace has %v", tr.Generations, tr.Events, tr.Span,
			tr.Warnings, want)
	}
	if most := time.Duration(tr.MaxProcs) * tr.Span; tr.ProcTime.Total > most {
		t.Errorf("of %v processors' time %v is told", most, tr.ProcTime.Total)
	}
	for _, fault := range faults(tr) {
		t.Error(fault)
	}
	return n
}

func TestCutOffTellsWholeGenerations(t *testing.T) {
	for _, c := range []struct {
		path string
		told []int // how many generations are, in some piece
	}{
		{"testdata/long-go1.27.4.trace.gz", []int{0, 1, 2, 3}},
		{"testdata/cut/long-go1.22.12.trace.gz", []int{0, 1, 2, 3}},
		{"testdata/cut/flight-go1.25.14.trace.gz", []int{0}},
	} {
		whole := testkit.Captured(t, c.path)
		want := prefixes(t, whole)
		seen := map[int]bool{}
		for i := range 100 {
			seen[told(t, whole[:len(whole)*(i+1)/101], want)] = true
		}
		if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, c.told) {
			t.Errorf("%s: of its pieces %v generations are told, not %v", c.path, got, c.told)
		}
	}
}

// Three bytes of a trace are others. The reader notices it in the middle of the
// generation, or only later; then what is open must not last until there.
func TestDamagedTellsWholeGenerations(t *testing.T) {
	for _, path := range []string{"testdata/go1.27.4.trace.gz", "testdata/go1.25.14.trace.gz",
		"testdata/long-go1.27.4.trace.gz"} {
		whole := testkit.Captured(t, path)
		want := prefixes(t, whole)
		r := rand.New(rand.NewPCG(1, 2))
		seen := map[int]int{}
		for range 30 {
			text := bytes.Clone(whole)
			for range 3 {
				text[16+r.IntN(len(text)-16)] = byte(r.IntN(256))
			}
			seen[told(t, text, want)]++
		}
		if seen[0] < 5 || len(want) > 1 && seen[1] == 0 {
			t.Errorf("%s: so many generations are told, so often: %v", path, seen)
		}
	}
}

// A damaged generation is left out wholly: the figures are those of a trace that was
// cut off in it, wherever in it the damage is.
func TestDamagedGenerationIsLeftOut(t *testing.T) {
	whole := testkit.Captured(t, "testdata/long-go1.27.4.trace.gz")
	all := readAll(t, whole, Options{})
	cut := readAll(t, whole[:len(whole)-10], Options{}) // into the last of four
	if all.Generations != 4 || cut.Generations != 3 {
		t.Fatalf("%d and %d generations", all.Generations, cut.Generations)
	}
	of := func(tr *Trace) string {
		c := *tr
		c.Bytes, c.Warnings = 0, nil
		return fmt.Sprintf("%+v", c)
	}
	for _, back := range []int{2, 200, 1000, 2000, 4000} {
		text := bytes.Clone(whole)
		copy(text[len(text)-back:], bytes.Repeat([]byte{0xff}, 100))
		if tr := readAll(t, text, Options{}); of(tr) != of(cut) || len(tr.Warnings) != 1 {
			t.Errorf("damaged %d before the end: %d generations, %v; warnings %q", back, tr.Generations, tr.Span,
				tr.Warnings)
		}
	}
}
