package sample

// A Kind is what the processes of a load do.
type Kind int

// The kinds of load.
const (
	CPU    Kind = iota // each keeps one core busy and touches no memory
	Memory             // each copies through a buffer larger than the last-level cache
)

func (k Kind) String() string {
	if k == Memory {
		return "memory"
	}
	return "cpu"
}

// entryVar and entryArg, both together, make the program a process of a load. The
// argument also tells someone who looks at the list of processes what this one is.
const (
	entryVar = "MEMCOST_LOAD"
	entryArg = "keeps-the-machine-busy"
)

// chunk is what a streamer copies in one unit of work, in bytes.
const chunk = 256 << 10
