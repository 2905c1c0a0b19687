package machine

import "time"

// A Sampler reads snapshots. It keeps its files open, and a snapshot takes a few
// system calls, some tens of microseconds, and no allocation. It is not safe for
// concurrent use.
type Sampler struct {
	// Now is the clock of the snapshots; NewSampler sets it to time.Now.
	Now func() time.Time

	source source // of this operating system
}

// NewSampler opens the counters of the machine below root, as [ReadFingerprint] takes
// it. Counters that do not exist are left out, see [Snapshot.Missing]; it fails only
// where root is not a machine's.
func NewSampler(root string) (*Sampler, error) {
	src, err := openSource(root)
	if err != nil {
		return nil, err
	}
	return &Sampler{Now: time.Now, source: src}, nil
}

// Snapshot reads all counters. A counter that cannot be read is NaN; an error means
// that none can be read any more, as after Close.
func (s *Sampler) Snapshot() (Snapshot, error) {
	snap := unknownSnapshot(s.Now())
	err := s.source.read(&snap)
	return snap, err
}

// Close closes the files.
func (s *Sampler) Close() error { return s.source.close() }
