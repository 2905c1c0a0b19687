package toolchain

import (
	"time"

	"memcost/internal/cache"
)

// Trim brings the cache below its limit, unless another memcost uses it, and holds it
// for as long as the Builder lives: nobody removes from it what is used meanwhile.
func (b *Builder) Trim(now time.Time) { b.use = cache.Begin(b.CacheDir, now) }
