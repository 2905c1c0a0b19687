package sample

import (
	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/machine"
)

const (
	leastBuffer = 64 << 20
	// mostBuffer is also the buffer where the caches are not known.
	mostBuffer = 256 << 20

	// freeShare is the part of the free memory that all buffers may take together.
	freeShare = 0.25
)

// bufferSize returns the bytes of the buffer of each of n streaming processes: twice the
// last-level cache, and less where little memory is free.
func bufferSize(n int) (int, error) {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return 0, err
	}
	return sizeFor(fp, n)
}

func sizeFor(fp machine.Fingerprint, n int) (int, error) {
	cache := lastLevel(fp)
	size, least := int64(mostBuffer), int64(leastBuffer)
	if cache > 0 {
		// A cache of more than 200 MiB needs more than mostBuffer.
		least = max(cache+cache/4, chunk)
		size = max(min(max(2*cache, leastBuffer), mostBuffer), least)
	}
	free := fp.MemoryAvailableBytes
	if fp.CgroupMemoryBytes > 0 && (free == 0 || fp.CgroupMemoryBytes < free) {
		free = fp.CgroupMemoryBytes
	}
	if free <= 0 { // the system does not say
		return int(size), nil
	}
	if size = min(size, int64(freeShare*float64(free))/int64(n)); size < least {
		return 0, hint.New("use fewer of them, or free some memory",
			"%d processes that stream through memory need %s each, more than the last-level cache; only %s are free",
			n, units.Bytes(least), units.Bytes(free))
	}
	return int(size), nil
}

// lastLevel returns the bytes of the largest cache of the highest level, 0 where it is not
// known.
func lastLevel(fp machine.Fingerprint) int64 {
	level, bytes := 0, int64(0)
	for _, c := range fp.Caches {
		if c.Level > level {
			level, bytes = c.Level, 0
		}
		if c.Level == level {
			bytes = max(bytes, c.Bytes)
		}
	}
	return bytes
}
