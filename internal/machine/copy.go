package machine

import (
	"bytes"
	"time"
)

// CopyTime returns the seconds that a plain copy of so many bytes takes that stays in the first
// cache, and of how many copies: the fastest of a few tries, for what disturbs makes it slower
// only. It is 0 where the copy was not done.
func CopyTime(size int) (sec float64, times int) {
	const tries, of = 20, 100
	from, to := make([]byte, size), make([]byte, size)
	for i := range from {
		from[i] = byte(i)
	}
	best := time.Duration(0)
	for range tries {
		began := time.Now()
		for range of {
			copy(to, from)
		}
		if d := time.Since(began); best == 0 || d < best {
			best = d
		}
	}
	if !bytes.Equal(from, to) {
		best = 0
	}
	return best.Seconds() / of, tries * of
}
