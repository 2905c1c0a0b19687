package mallocprofile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Processes are the profiles of a program and of the processes that it started.
type Processes struct {
	Profiles []*Profile // the one with the most calls first
	Missing  int        // processes that came after the 500th, which are not counted
}

// ReadFolder reads the profiles that processes wrote into a folder.
func ReadFolder(dir string) (Processes, error) {
	files, err := filepath.Glob(filepath.Join(dir, "profile*"))
	if err != nil {
		return Processes{}, err
	}
	var out Processes
	for _, file := range files {
		p, err := Read(file)
		if errors.Is(err, errUnfinished) {
			continue // it ended before its first call
		}
		if err != nil {
			return Processes{}, err
		}
		out.Profiles = append(out.Profiles, p)
	}
	slices.SortStableFunc(out.Profiles, func(a, b *Profile) int { return cmp.Compare(b.AllCalls(), a.AllCalls()) })
	if info, err := os.Stat(filepath.Join(dir, "processes0")); err == nil {
		out.Missing = max(0, int(info.Size())-500)
	}
	return out, nil
}

var errUnfinished = errors.New("the process ended while it made the file")

// Read reads the profile of one process.
func Read(file string) (*Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := decode(f)
	if err != nil {
		return nil, fmt.Errorf("reading the profile %s: %w", file, err)
	}
	return p, nil
}

// decode reads the parts of a file that were written: the records that threads had.
func decode(r io.ReaderAt) (*Profile, error) {
	var h header
	if err := part(r, 0, &h); err != nil {
		return nil, err
	}
	switch {
	case h.Magic == [8]byte{}:
		return nil, errUnfinished
	case string(h.Magic[:]) != magic:
		return nil, errors.New("it is no profile of malloc")
	case h.Format != format || h.ThreadSize != threadSize || h.BlockCount != blockCount:
		return nil, fmt.Errorf("its format %d is another memcost's", h.Format)
	case h.Records > mostThreads:
		return nil, fmt.Errorf("it says that it has %d records of threads, more than there can be", h.Records)
	}
	blocks := make([]block, blockCount)
	if err := part(r, headerSize, blocks); err != nil {
		return nil, err
	}
	threads := make([]thread, h.Records)
	for i := range threads {
		if err := part(r, threadsOffset+int64(i)*threadSize, &threads[i]); err != nil {
			return nil, err
		}
	}
	return summarize(&h, blocks, threads), nil
}

func part(r io.ReaderAt, at int64, into any) error {
	size := int64(binary.Size(into))
	return binary.Read(io.NewSectionReader(r, at, size), binary.NativeEndian, into)
}

// summarize adds up what the threads counted.
func summarize(h *header, blocks []block, threads []thread) *Profile {
	program, _, _ := bytes.Cut(h.Program[:], []byte{0})
	p := &Profile{
		Program: string(program), PID: int(h.PID), Span: time.Duration(h.Last - h.Start), Early: h.Early,
		Samples: h.Samples, Dropped: h.Dropped, Turns: h.Turns, Forks: h.Forks, Calls: map[string]uint64{},
		Peak: highest(float64(h.Peak), float64(h.PeakSquare)*256*256), Blocks: h.MostBlocks,
		Threads: Threads{Started: h.Threads, AtOnce: h.ThreadPeak, Uncounted: h.Uncounted},
	}
	if h.Turns > 0 {
		p.Turned = h.Turned / h.Turns
	}
	calls(p, threads)
	p.Peak = capped(p.Peak, mostBytes(p.Sizes, p.Blocks))
	lifetimes(p, blocks, threads)
	return p
}

// calls adds up what is exact: calls by function and size, and bytes.
func calls(p *Profile, threads []thread) {
	var sizes [sizeClasses]uint64
	busiest := uint64(0)
	for i := range threads {
		t := &threads[i]
		p.Calls["free"] += t.Frees
		p.FreesNull += t.Nulls
		p.Failed += t.Failed
		p.Bytes += t.Used + t.Interval - t.Left - extra*t.Allocations
		busiest = max(busiest, t.Allocations+t.Frees)
		for kind, name := range slices.DeleteFunc(slices.Clone(Functions), func(s string) bool { return s == "free" }) {
			for class, n := range t.Sizes[kind] {
				sizes[class] += n
				p.Calls[name] += n
			}
		}
	}
	for class, n := range sizes {
		if n > 0 {
			from, to := sizesOf(class)
			p.Sizes = append(p.Sizes, Sizes{from, to, n})
		}
	}
	if all := p.AllCalls(); all > 0 {
		p.Threads.Busiest = float64(busiest) / float64(all)
	}
}

// A sum adds up weights of sampled blocks.
type sum struct{ weight, square, blocks float64 }

func (s *sum) add(weight, square, blocks float64) {
	s.weight, s.square, s.blocks = s.weight+weight, s.square+square, s.blocks+blocks
}

// step is what a block more would add.
func (s *sum) step() float64 {
	if s.weight <= 0 {
		return 0
	}
	return s.square / s.weight
}

func (s *sum) estimate(step float64) Estimate { return bounded(s.weight, s.square, step) }

// lifetimes adds up what is known from sampled blocks.
func lifetimes(p *Profile, blocks []block, threads []thread) {
	var ages [groups][ageClasses]sum
	var living [groups]sum
	var freed, foreign sum
	var asked, usable float64
	for i := range threads {
		t := &threads[i]
		asked, usable = asked+t.Asked, usable+t.Usable
		freed.add(t.Freed, t.FreedSquare, float64(t.FreedBlocks))
		foreign.add(t.Foreign, t.ForeignSquare, float64(t.ForeignBlocks))
		for g := range ages {
			for c, a := range t.Ages[g] {
				ages[g][c].add(a.Weight, a.Square, float64(a.Blocks))
			}
		}
	}
	for _, b := range blocks {
		if w := float64(b.Weight); b.Address > 1 && w >= 1 {
			living[groupOf(b.Size)].add(w, w*(w-1), 1)
		}
	}
	if asked > 0 {
		p.Usable = usable / asked
	}
	p.Foreign = share(foreign, freed)
	for g, from := range []uint64{0, small, large} {
		whole := living[g]
		for _, a := range ages[g] {
			whole.add(a.weight, a.square, a.blocks)
		}
		group := Group{From: from, To: []uint64{small, large, 0}[g], Sampled: uint64(whole.blocks),
			Living: living[g].estimate(whole.step())}
		for c := range ages[g] {
			if s := &ages[g][c]; s.blocks > 0 {
				from, to := agesOf(c)
				group.Ages = append(group.Ages, Ages{from, to, s.estimate(0)})
			}
		}
		p.Groups = append(p.Groups, group)
	}
}

func groupOf(size uint64) int {
	switch {
	case size < small:
		return 0
	case size < large:
		return 1
	}
	return 2
}

// agesOf returns the range of a class of lifetimes.
func agesOf(class int) (from, to uint64) {
	if class == 0 {
		return 0, 1
	}
	return 1 << (class - 1), 1 << class
}

// normal is the 97.5th percentile of the normal distribution.
const normal = 1.959964

// bounded is the Horvitz-Thompson estimate of a sum over all blocks, of which each sampled one
// stands for as many as the inverse of the probability with which it was taken. The variance is
// the sum of x² w (w − 1) over the samples, and the interval that of the score test, as for a
// Poisson number of equal steps: it holds for few samples, too. Where there is no
// sample, step says how large one would be.
func bounded(value, variance, step float64) Estimate {
	value = max(value, 0)
	if value > 0 {
		step = max(variance, 0) / value
	}
	if step <= 0 {
		return Estimate{value, value, value} // each block was taken: exact
	}
	middle := value + normal*normal*step/2
	half := normal * math.Sqrt(value*step+normal*normal*step*step/4)
	return Estimate{value, max(middle-half, 0), middle + half}
}

// highest is the estimate of a peak, which is the highest of many estimates and so rather too high
// than too low: its lower end is four standard deviations below it.
func highest(value, variance float64) Estimate {
	e := bounded(value, variance, 0)
	if variance > 0 {
		e.Lo = max(min(e.Lo, value-4*math.Sqrt(variance)), 0)
	}
	return e
}

// mostBytes is what so many blocks have at most: those of the largest sizes that were asked for.
func mostBytes(sizes []Sizes, blocks int64) float64 {
	sum, left := 0.0, uint64(max(blocks, 0))
	for _, s := range slices.Backward(sizes) {
		n := min(left, s.Calls)
		sum += float64(n) * float64(s.To-1)
		left -= n
	}
	return sum
}

// capped is an estimate of what is known not to be larger.
func capped(e Estimate, most float64) Estimate {
	if e.Hi <= e.Lo || most <= 0 {
		return e
	}
	return Estimate{min(e.Value, most), min(e.Lo, most), min(e.Hi, most)}
}

// share is the ratio of a part to a sum that it is in, with Wilson's interval for as many blocks
// as were sampled, fewer by how uneven their weights are.
func share(part, whole sum) Estimate {
	if whole.weight <= 0 {
		return Estimate{0, 0, 0}
	}
	if part.weight == 0 && whole.square <= 0 || part.blocks == whole.blocks && whole.square <= 0 {
		v := part.weight / whole.weight
		return Estimate{v, v, v}
	}
	n := whole.weight * whole.weight / (whole.square + whole.weight) // Kish's effective number
	v, z2 := part.weight/whole.weight, normal*normal
	centre := (v + z2/(2*n)) / (1 + z2/n)
	half := normal / (1 + z2/n) * math.Sqrt(v*(1-v)/n+z2/(4*n*n))
	return Estimate{v, max(min(centre-half, v), 0), min(max(centre+half, v), 1)}
}

// The layout of preload/layout.h, in the byte order of this machine. TestLayout holds its sizes
// to those that the compiler gives.
const (
	format      = 1
	magic       = "mallocs\n"
	kinds       = 8
	sizeClasses = 256
	ageClasses  = 64
	groups      = 3
	mostThreads = 1024
	blockCount  = 4096 * 8
	extra       = 128 // bytes that a call counts beside the block's, when samples are drawn

	small = 1024
	large = 128 << 10
)

type age struct {
	Weight, Square float64
	Blocks         uint64
}

type thread struct {
	Allocations, Frees, Nulls    uint64
	Left, Interval, Used, Period uint64
	Random                       uint64
	Serial, TID                  uint32
	Retired, Reserved            int32
	Freed, Foreign               float64
	FreedSquare, ForeignSquare   float64
	ForeignBlocks, FreedBlocks   uint64
	Asked, Usable                float64
	Failed                       uint64
	Resized                      uint64
	Room                         [7]uint64
	Sizes                        [kinds][sizeClasses]uint64
	Ages                         [groups][ageClasses]age
}

type block struct {
	Address, Size, Birth uint64
	Weight               float32
	Thread, Serial       uint16
}

type header struct {
	Magic                  [8]byte
	Format, PID            uint32
	ThreadSize, BlockCount uint64
	Start, Last            uint64
	Early                  uint64
	Samples, Dropped       uint64
	Records                uint64
	Threads, Uncounted     uint64
	ThreadsNow, ThreadPeak int64
	Live, Peak             int64
	LiveSquare, PeakSquare int64
	Kept, PeakKept         int64
	MostBlocks             int64
	Low, High              int64
	Turns, Turned          int64
	Falling, Turning       int32
	Forks                  uint64
	Program                [1024]byte
}

// Where the parts of a file begin; each is a whole number of pages.
const (
	pageSize      = 4096
	headerSize    = pageSize
	blockSize     = 32
	threadSize    = 24576
	threadsOffset = headerSize + blockCount*blockSize
)

// below are the classes of 0 to 3 bytes, which are no multiples of a quarter of a power of two.
var below = map[int]uint64{0: 0, 7: 1, 9: 2, 11: 3}

// sizesOf returns the range of a class of sizes: see class_of in preload/sample.h.
func sizesOf(class int) (from, to uint64) {
	if n, ok := below[class]; ok {
		return n, n + 1
	}
	bound := func(c int) uint64 { return uint64(4+c%4) << (c/4 - 1) >> 2 }
	return bound(class), bound(class + 1)
}

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
