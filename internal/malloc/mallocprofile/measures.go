package mallocprofile

// mapped is the size from which glibc maps a block on its own, until a freed one raises the
// threshold, to largest at most.
const (
	mapped  = 128 << 10
	largest = 32 << 20
	cached  = 1024 // up to about this size glibc's threads keep freed blocks of their own
)

// callsFrom returns how many of the allocations ask for at least so many bytes, which is the
// beginning of a class of sizes.
func callsFrom(p *Profile, bytes uint64) (calls uint64) {
	for _, s := range p.Sizes {
		if s.From >= bytes {
			calls += s.Calls
		}
	}
	return calls
}

// bytesFrom returns about how many bytes these ask for: the middle of each class stands for it.
func bytesFrom(p *Profile, bytes uint64) (sum float64) {
	for _, s := range p.Sizes {
		if s.From >= bytes {
			sum += float64(s.Calls) * float64(s.From+s.To-1) / 2
		}
	}
	return sum
}

// part is a share of a whole, 0 of nothing.
func usePart(of, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return of / whole
}

// usualSizes are the powers of two between which all but the smallest and the largest 5% of the
// blocks lie.
func usualSizes(p *Profile) (from, to uint64) {
	all, seen := p.Allocations(), uint64(0)
	if all == 0 {
		return 0, 0
	}
	from = 1
	started := false
	for _, s := range p.Sizes {
		seen += s.Calls
		if !started && float64(seen) > 0.05*float64(all) {
			from, started = powerBelow(s.From), true
		}
		if float64(seen) >= 0.95*float64(all) {
			return from, powerAbove(s.To)
		}
	}
	return from, from * 2
}

func powerBelow(n uint64) uint64 {
	p := uint64(1)
	for p*2 <= n {
		p *= 2
	}
	return p
}

func powerAbove(n uint64) uint64 {
	p := uint64(1)
	for p < n {
		p *= 2
	}
	return p
}

// ages adds up the lifetimes of all sizes.
func ages(p *Profile) (by map[uint64]float64, living, all float64) {
	by = map[uint64]float64{}
	for i := range p.Groups {
		for _, a := range p.Groups[i].Ages {
			by[a.From] += a.Blocks.Value
		}
		living += p.Groups[i].Living.Value
		all += p.Groups[i].Blocks()
	}
	return by, living, all
}

// freedWithin is the share of the blocks that live for fewer calls than a power of two.
func freedWithin(p *Profile, calls uint64) float64 {
	by, _, all := ages(p)
	sum := 0.0
	for from, n := range by {
		if from < calls {
			sum += n
		}
	}
	return usePart(sum, all)
}

// mostFreedWithin is the smallest power of two of calls within which a share of the blocks is
// freed; 0 where so many are never freed.
func mostFreedWithin(p *Profile, share float64) uint64 {
	for calls := uint64(1); calls < 1<<40; calls *= 2 {
		if freedWithin(p, calls) >= share {
			return calls
		}
	}
	return 0
}

// someFreed reports whether blocks of a group are known to be freed.
func someFreed(g Group) bool { return len(g.Ages) > 0 }
