package exectrace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/exp/trace"
)

func TestNoTrace(t *testing.T) {
	zipped, err := os.ReadFile("testdata/go1.27.4.trace.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "the file is empty\nhint: did the program end"},
		{"go 1.2", "ends in the middle of a trace's first 16 bytes"},
		{"package main\n\nfunc main() {}\n", "begins with \"package main\\n\\nfu\", as no trace does\nhint: a trace " +
			"begins with"},
		{string(zipped), "the file is compressed"},
		{"go 1.10 trace\x00\x00\x00", "that of Go 1.10, which is not known\nhint: Go 1.11 is the oldest"},
		{"go 1.99 trace\x00\x00\x00....", "that of Go 1.99, which is not known\nhint: this program knows"},
		{"go 1.26 trace\x00\x00\x00", "holds no events\nhint: was the trace cut off"},
		{"go 1.21 trace\x00\x00\x00", "hint: a trace of Go 1.21 or older can only be read whole"},
		{"go 1.25 trace\x00\x00\x00abcdefgh", "expected batch event"},
	} {
		tr, err := Read(strings.NewReader(c.text), Options{})
		if tr != nil || err == nil || !strings.HasPrefix(err.Error(), "reading the execution trace: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v", c.text, err)
		}
	}
}

// A trace that was cut off gives what there was and a warning, or an error.
func TestCutOff(t *testing.T) {
	for name, whole := range captured(t) {
		some := 0
		for _, n := range []int{5, 16, 100, len(whole) / 10, len(whole) / 3, len(whole) / 2, len(whole) * 9 / 10,
			len(whole) - 10, len(whole) - 1} {
			tr, err := Read(bytes.NewReader(whole[:n]), Options{})
			switch {
			case err != nil:
				if !strings.Contains(err.Error(), "\nhint: ") ||
					strings.Contains(err.Error(), "a fault of this program") {
					t.Errorf("%s: cut at %d: %v", name, n, err)
				}
			case len(tr.Warnings) != 1 || !strings.Contains(tr.Warnings[0], "the trace was cut off, or is damaged, "+
				"after "):
				t.Errorf("%s: cut at %d: warnings %q", name, n, tr.Warnings)
			default:
				some++
				for _, fault := range faults(tr) {
					t.Errorf("%s: cut at %d: %s", name, n, fault)
				}
			}
		}
		if (some > 0) != (name == "long-go1.27.4") { // the only one with a generation that is whole
			t.Errorf("%s: of 9 pieces %d could be read in part", name, some)
		}
	}
}

// Of a trace of more than a second, everything before the generation that was
// cut off is read.
func TestCutOffLater(t *testing.T) {
	whole := captured(t)["long-go1.27.4"]
	all := readAll(t, whole, Options{})
	if all.Generations < 3 {
		t.Fatalf("%d generations", all.Generations)
	}
	tr := readAll(t, whole[:len(whole)-10], Options{})
	if len(tr.Warnings) != 1 || tr.Events < all.Events/3 || tr.Events >= all.Events || tr.GC.N == 0 ||
		tr.GC.N > all.GC.N || tr.Generations != all.Generations-1 {
		t.Errorf("%d of %d events, %d of %d collections, %d of %d generations; warnings %q",
			tr.Events, all.Events, tr.GC.N, all.GC.N, tr.Generations, all.Generations, tr.Warnings)
	}
}

func TestFailingReader(t *testing.T) {
	failed := errors.New("the disk is gone")
	whole := captured(t)["go1.27.4"]
	for _, n := range []int{0, 10, 16, 1000, len(whole)} {
		r := struct {
			io.Reader
			io.Seeker
		}{io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(failed)), nil}
		if tr, err := Read(r, Options{}); tr != nil || !errors.Is(err, failed) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// damage changes a trace in one place, and may cut it off.
func damage(whole []byte, at uint32, with []byte, cut uint32) []byte {
	text := bytes.Clone(whole)
	if len(text) > 16 {
		copy(text[16+int(at)%(len(text)-16):], with)
	}
	if cut != 0 {
		text = text[:int(cut)%(len(text)+1)]
	}
	return text
}

func FuzzDamaged(f *testing.F) {
	var traces [][]byte
	all := captured(f)
	for _, name := range []string{"go1.13.15", "go1.18.10", "go1.21.13", "go1.22.12", "go1.23.12", "go1.26.11",
		"flight-go1.27.4"} {
		traces = append(traces, all[name])
		f.Add(uint8(len(traces)-1), uint32(0), []byte{}, uint32(0))
		f.Add(uint8(len(traces)-1), uint32(1000), []byte{0xff}, uint32(0))
		f.Add(uint8(len(traces)-1), uint32(5000), []byte{0}, uint32(20000))
		f.Add(uint8(len(traces)-1), uint32(77), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, uint32(0))
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint32, with []byte, cut uint32) {
		sound(t, damage(traces[int(which)%len(traces)], at, with, cut))
	})
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "go 1.26 trace\x00\x00\x00", "go 1.11 trace\x00\x00\x00",
		"go 1.22 trace\x00\x00\x00\x01\x01\x01\x01\x01"} {
		f.Add([]byte(text))
	}
	for _, text := range captured(f) {
		f.Add(text[:min(len(text), 4000)])
	}
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text) })
}

// sound fails if Read does not tell, or tells what cannot be.
func sound(t *testing.T, text []byte) {
	t.Helper()
	tr, err := Read(bytes.NewReader(text), Options{Groups: 3, Intervals: 20, Points: 50})
	if err != nil {
		if strings.Contains(err.Error(), "a fault of this program") || tr != nil {
			t.Fatal(err)
		}
		return
	}
	for _, warning := range tr.Warnings {
		if strings.Contains(warning, "a fault of this program") {
			t.Fatal(warning)
		}
	}
	for _, fault := range faults(tr) {
		t.Error(fault)
	}
	if len(tr.Records("Trace")) == 0 {
		t.Error("no records")
	}
}

// A panic of the library is an error of the trace; one of our own is ours.
func TestRecovered(t *testing.T) {
	caught := func(f func()) (p *panicked) {
		defer func() {
			if v := recover(); v != nil {
				p = recovered(v)
			}
		}()
		f()
		return nil
	}
	if p := caught(func() {
		trace.Event{}.Metric()
	}); p == nil || p.ours || p.Error() != "Metric called on non-Metric event" {
		t.Errorf("%+v", p)
	}
	if p := caught(func() { timelines{}.all(nil) }); p == nil || !p.ours {
		t.Errorf("%+v", p)
	}
}
