package exectrace

import "time"

// points thins a series out as it comes: at most keep buckets of equal width,
// of which each remembers its smallest and its largest value. When time has
// filled them, neighbours are joined and the width doubles. So the extremes of
// the whole series are always kept, and where they were.
type points struct {
	keep    int
	width   time.Duration
	buckets []bucket // by time; those without a value are left out
	last    Point
	any     bool
}

type bucket struct {
	i        int64 // its start divided by the width
	min, max Point
}

// narrow is the first width of a bucket.
const narrow = 10 * time.Microsecond

func newPoints(keep int) *points { return &points{keep: max(keep, 2), width: narrow} }

func (p *points) add(at time.Duration, bytes uint64) {
	v := Point{at, bytes}
	p.last, p.any = v, true
	for {
		i := int64(at / p.width)
		if n := len(p.buckets); n > 0 && p.buckets[n-1].i == i {
			p.buckets[n-1].add(v)
			return
		} else if n < p.keep {
			p.buckets = append(p.buckets, bucket{i, v, v})
			return
		}
		p.widen()
	}
}

func (b *bucket) add(v Point) {
	if v.Bytes < b.min.Bytes {
		b.min = v
	}
	if v.Bytes > b.max.Bytes {
		b.max = v
	}
}

func (p *points) widen() {
	p.width *= 2
	joined := p.buckets[:0]
	for _, b := range p.buckets {
		b.i /= 2
		if n := len(joined); n > 0 && joined[n-1].i == b.i {
			joined[n-1].add(b.min)
			joined[n-1].add(b.max)
		} else {
			joined = append(joined, b)
		}
	}
	p.buckets = joined
}

// points are by time, two of a bucket at most, and the last value at the end.
func (p *points) points() (all []Point) {
	for _, b := range p.buckets {
		first, second := b.min, b.max
		if second.At < first.At {
			first, second = second, first
		}
		all = append(all, first)
		if second != first {
			all = append(all, second)
		}
	}
	if p.any && all[len(all)-1].At < p.last.At {
		all = append(all, p.last)
	}
	return all
}
