package exectrace

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// spanned is what has a beginning and an end.
type spanned interface {
	span() (start, end time.Duration)
}

func (i Interval) span() (start, end time.Duration) { return i.Start, i.End }
func (c Cycle) span() (start, end time.Duration)    { return c.Start, c.End }

// longest keeps the longest of many, and of two that are as long the earlier.
type longest[T spanned] struct {
	keep  int
	kept  shortestFirst[T]
	n     int64
	total time.Duration
}

func (l *longest[T]) add(v T) {
	l.n++
	l.total += length(v)
	switch {
	case len(l.kept) < l.keep:
		heap.Push(&l.kept, v)
	case l.keep > 0 && shorter(l.kept[0], v):
		l.kept[0] = v
		heap.Fix(&l.kept, 0)
	}
}

// left is how many were not kept, and how long they are together.
func (l *longest[T]) left() (n int64, total time.Duration) {
	total = l.total
	for _, v := range l.kept {
		total -= length(v)
	}
	return l.n - int64(len(l.kept)), total
}

func (l *longest[T]) clone() longest[T] {
	c := *l
	c.kept = slices.Clone(l.kept)
	return c
}

// all is what was kept, by start.
func (l *longest[T]) all() []T {
	return slices.SortedFunc(slices.Values(l.kept), byStart[T])
}

func byStart[T spanned](a, b T) int {
	aStart, aEnd := a.span()
	bStart, bEnd := b.span()
	return cmp.Or(cmp.Compare(aStart, bStart), cmp.Compare(bEnd, aEnd))
}

func length[T spanned](v T) time.Duration {
	start, end := v.span()
	return end - start
}

func shorter[T spanned](a, b T) bool {
	aStart, _ := a.span()
	bStart, _ := b.span()
	return cmp.Or(cmp.Compare(length(a), length(b)), cmp.Compare(bStart, aStart)) < 0
}

// shortestFirst is a heap.
type shortestFirst[T spanned] []T

func (h shortestFirst[T]) Len() int           { return len(h) }
func (h shortestFirst[T]) Less(i, j int) bool { return shorter(h[i], h[j]) }
func (h shortestFirst[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *shortestFirst[T]) Push(x any)        { *h = append(*h, x.(T)) }
func (h *shortestFirst[T]) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// Longest returns the n longest collections, by start.
func (g *GC) Longest(n int) []Cycle {
	l := longest[Cycle]{keep: n}
	for _, c := range g.Cycles {
		l.add(c)
	}
	return l.all()
}

// PausesOf returns the collector's pauses that began or ended while it marked.
func (t *Trace) PausesOf(c Cycle) (all []time.Duration) {
	for _, i := range t.Timeline {
		if i.Kind == GCStop && i.Start <= c.End && i.End >= c.Start {
			all = append(all, i.End-i.Start)
		}
	}
	return all
}

// kinds are those of the timeline, the outer before the inner.
var kinds = []Kind{Mark, GCStop, Stop, Assist, Sweep}

// timelines are the intervals of each kind.
type timelines map[Kind]*longest[Interval]

// all is what was kept of all kinds, by start, and what was left out.
func (t timelines) all() (all []Interval, left []Left) {
	for _, k := range kinds {
		all = append(all, t[k].kept...)
		if n, total := t[k].left(); n > 0 {
			left = append(left, Left{k, n, total})
		}
	}
	slices.SortStableFunc(all, byStart[Interval])
	return all, left
}
