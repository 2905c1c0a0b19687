package machine

import (
	"math"
	"time"
)

// Snapshot is one reading of the kernel's cumulative counters, in seconds since
// boot. A counter that this machine does not have is NaN.
//
// Steal, Busy and Idle are sums over all CPUs from /proc/stat, which counts in
// ticks of 10 ms (USER_HZ is 100 on every architecture that Go runs on): over an
// interval of length T each is off by up to 0.01 s, so a 100 ms sample cannot see
// less than about a tenth of a CPU. The PSI totals have a resolution of 1 µs.
type Snapshot struct {
	At    time.Time // by the sampler's clock, monotonic
	Steal float64   // wanted by this machine's CPUs, spent by the hypervisor on others
	Busy  float64   // user, nice, system, irq, softirq; guests included
	Idle  float64   // idle, and waiting for I/O

	// Time in which at least one task waited for the resource ("some" of
	// /proc/pressure/*, Documentation/accounting/psi.rst), the measured one
	// included.
	PSICPU, PSIMemory, PSIIO float64
}

// Until gives what happened between two snapshots of one sampler.
func (a Snapshot) Until(b Snapshot) Interference {
	return Interference{
		Wall:      b.At.Sub(a.At).Seconds(),
		Steal:     grown(a.Steal, b.Steal),
		Busy:      grown(a.Busy, b.Busy),
		PSICPU:    grown(a.PSICPU, b.PSICPU),
		PSIMemory: grown(a.PSIMemory, b.PSIMemory),
		PSIIO:     grown(a.PSIIO, b.PSIIO),
	}
}

// grown returns b − a, at least 0: steal has been seen to run backwards after a live
// migration. NaN stays NaN.
func grown(a, b float64) float64 { return math.Max(0, b-a) }

// Interference holds what the whole machine did during an interval, in seconds; NaN
// where it is not known. Steal and Busy are CPU seconds over all CPUs, the others are
// wall time.
type Interference struct {
	Wall, Steal, Busy        float64
	PSICPU, PSIMemory, PSIIO float64
}

// Foreign returns the CPU seconds spent by other processes: all busy time, less the
// caller's own (user and system, from rusage). It is at least 0, because the two clocks
// have different resolutions: see [Snapshot] on ticks.
func (i Interference) Foreign(ownCPUSeconds float64) float64 {
	return math.Max(0, i.Busy-ownCPUSeconds)
}

// Without leaves out CPU seconds that memcost itself spent meanwhile, such as on asking whether a server listens: they
// are no other program's. What is not known (NaN) leaves nothing out.
func (i Interference) Without(seconds float64) Interference {
	if seconds > 0 {
		i.Busy = math.Max(0, i.Busy-seconds)
	}
	return i
}

// unknownSnapshot returns a snapshot in which every counter is unknown.
func unknownSnapshot(at time.Time) Snapshot {
	nan := math.NaN()
	return Snapshot{At: at, Steal: nan, Busy: nan, Idle: nan, PSICPU: nan, PSIMemory: nan, PSIIO: nan}
}

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
