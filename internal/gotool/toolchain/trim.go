package toolchain

import (
	"time"

	"memcost/internal/base/cache"
)

// Trim brings the cache below its limit, unless another memcost uses it, and marks it as
// in use for as long as the Builder exists, so that no process removes files from it
// meanwhile.
func (b *Builder) Trim(now time.Time) { b.use = cache.Begin(b.CacheDir, now) }
