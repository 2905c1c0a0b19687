package mallocprofile

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
