package exectrace

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 50, 20_000} {
		p := newPoints(20)
		var all []Point
		at := time.Duration(0)
		for range n {
			at += time.Duration(r.IntN(50_000))
			all = append(all, Point{at, 1000 + r.Uint64N(1000)})
			p.add(at, all[len(all)-1].Bytes)
		}
		got := p.points()
		if len(got) > 41 {
			t.Errorf("%d of %d points are kept", len(got), n)
		}
		if n == 0 {
			continue
		}
		if got[len(got)-1] != all[n-1] {
			t.Errorf("of %d: the last is %v and not %v", n, got[len(got)-1], all[n-1])
		}
		bytes := func(a, b Point) int { return int(a.Bytes) - int(b.Bytes) }
		if slices.MaxFunc(got, bytes) != slices.MaxFunc(all, bytes) || slices.MinFunc(got, bytes) != slices.MinFunc(all,
			bytes) {
			t.Errorf("of %d: an extreme is lost: %v", n, got)
		}
		for i, v := range got {
			if i > 0 && v.At < got[i-1].At || !slices.Contains(all, v) {
				t.Fatalf("of %d: %v after %v", n, v, got[i-1])
			}
		}
	}
}

func TestLongest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	l := longest[Interval]{keep: 10}
	var all []Interval
	for i := range 1000 {
		start := time.Duration(i)
		v := Interval{Start: start, End: start + time.Duration(r.IntN(100))}
		all = append(all, v)
		l.add(v)
	}
	slices.SortFunc(all, func(a, b Interval) int {
		return cmp.Or(cmp.Compare(length(b), length(a)), cmp.Compare(a.Start, b.Start))
	})
	want := slices.Clone(all[:10])
	slices.SortFunc(want, byStart[Interval])
	got, n, total := l.all()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v are the longest, not %v", want, got)
	}
	var rest time.Duration
	for _, v := range all[10:] {
		rest += v.End - v.Start
	}
	if n != 990 || total != rest {
		t.Errorf("%d of %v are left out, not 990 of %v", n, total, rest)
	}
}

// A small number of intervals, groups and points changes no total.
func TestOptions(t *testing.T) {
	text := captured(t)["go1.25.14"]
	all, few := readAll(t, text, Options{}), readAll(t, text, Options{Groups: 2, Intervals: 2, Points: 20})
	if len(few.Groups) != 3 || few.Groups[2].Name != "(14 more)" || len(few.Heap) > 21 || len(few.GC.Cycles) != 2 {
		t.Errorf("%d groups, the last %q, %d points, %d cycles", len(few.Groups), few.Groups[2].Name, len(few.Heap),
			len(few.GC.Cycles))
	}
	if few.heapPeak() != all.heapPeak() || fmt.Sprint(few.User, few.System, few.ProcTime,
		few.STW) != fmt.Sprint(all.User, all.System, all.ProcTime, all.STW) {
		t.Error("totals differ")
	}
	for _, fault := range faults(few) {
		t.Error(fault)
	}
	sums := func(tr *Trace) map[Kind]time.Duration {
		m := map[Kind]time.Duration{}
		for _, i := range tr.Timeline {
			m[i.Kind] += i.End - i.Start
		}
		for _, l := range tr.Left {
			m[l.Kind] += l.Total
		}
		return m
	}
	if a, b := sums(all), sums(few); fmt.Sprint(a) != fmt.Sprint(b) || len(a) != 5 || len(few.Timeline) != 10 {
		t.Errorf("timelines sum to %v and %v", a, b)
	}
}
