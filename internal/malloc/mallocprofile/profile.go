package mallocprofile

import "time"

// A Profile is what one process asked of malloc. Calls and bytes are exact. What is an Estimate
// comes from sampled blocks.
type Profile struct {
	Program string        `json:"program"`
	PID     int           `json:"pid"`
	Span    time.Duration `json:"span_ns"` // from its first call to the last one that was looked at

	Calls     map[string]uint64 `json:"calls"`      // by the function's name, "free" among them
	FreesNull uint64            `json:"frees_null"` // of the calls of free, those with NULL
	Early     uint64            `json:"early"`      // before libc was set up: counted nowhere else
	Bytes     uint64            `json:"bytes"`      // that were asked for
	Sizes     []Sizes           `json:"sizes"`      // only those that occur, ascending
	Failed    uint64            `json:"failed"`     // sampled calls that gave NULL

	Samples uint64 `json:"samples"`
	Dropped uint64 `json:"dropped"` // of them, those that there was no room for

	Groups  []Group  `json:"lifetimes"`
	Foreign Estimate `json:"freed_by_another_thread"` // share of the frees
	Usable  float64  `json:"usable_ratio"`            // bytes that the allocator gave, by bytes asked for

	Peak   Estimate `json:"live_bytes_at_peak"`
	Blocks int64    `json:"live_blocks_at_peak"` // counted whenever a block was sampled
	Turns  int64    `json:"turns"`               // live bytes fell by a quarter of the peak and rose again
	Turned int64    `json:"bytes_per_turn"`      // by how many bytes they fell

	Threads Threads `json:"threads"`
	Forks   uint64  `json:"forks"`
}

// Sizes holds how often blocks of From bytes up to, and without, To were asked for.
type Sizes struct {
	From  uint64 `json:"from"`
	To    uint64 `json:"to"`
	Calls uint64 `json:"calls"`
}

// An Estimate is a figure with its 95% confidence interval.
type Estimate struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// A Group holds the lifetimes of the blocks in a range of sizes, as numbers of blocks. A block's
// lifetime is the number of calls of malloc, free and the others that the thread which allocated
// it makes before it is freed. A realloc ends one block and begins another.
type Group struct {
	From    uint64   `json:"from"`
	To      uint64   `json:"to"` // 0 is no limit
	Ages    []Ages   `json:"ages"`
	Living  Estimate `json:"never_freed"`
	Sampled uint64   `json:"sampled"`
}

// Ages are the blocks that lived for From calls up to, and without, To.
type Ages struct {
	From   uint64   `json:"from"`
	To     uint64   `json:"to"`
	Blocks Estimate `json:"blocks"`
}

// Threads holds how many threads called malloc.
type Threads struct {
	Started   uint64  `json:"started"`
	AtOnce    int64   `json:"at_once"`
	Uncounted uint64  `json:"uncounted"` // that came when 1,024 lived
	Busiest   float64 `json:"busiest"`   // share of all calls that one record of threads holds
}

// Functions are the names that Calls has, in the order in which they are shown.
var Functions = []string{"malloc", "free", "calloc", "realloc", "reallocarray", "aligned_alloc", "posix_memalign",
	"memalign", "valloc"}

// AllCalls is the number of calls of all functions.
func (p *Profile) AllCalls() uint64 {
	n := uint64(0)
	for _, c := range p.Calls {
		n += c
	}
	return n
}

// Allocations is the number of calls that ask for a block.
func (p *Profile) Allocations() uint64 { return p.AllCalls() - p.Calls["free"] }

// Blocks is the estimated number of blocks in a group.
func (g *Group) Blocks() float64 {
	n := g.Living.Value
	for _, a := range g.Ages {
		n += a.Blocks.Value
	}
	return n
}
