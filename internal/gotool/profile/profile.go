// Package profile reads profiles in the format of pprof (CPU and heap) and computes
// their flame graph, the shares of the time by category, and the functions with the
// largest values.
package profile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// maxBytes is the largest profile that is read, uncompressed. The Go runtime's are
// a few megabytes at most; a small compressed file can hold far more than memory.
const maxBytes = 512 << 20

// A Profile is one kind of value of a profile's samples: CPU time, bytes in use.
type Profile struct {
	Type    string // "cpu", "inuse_space"
	Unit    string // as in the profile: "nanoseconds", "bytes", "count"
	Samples int64  // number of samples that the profiler took; the number of records where the profile does not say
	Total   int64  // sum of the values, in Unit

	stacks []stack
	from   *profile.Profile
}

// A stack holds a sample: the frames from leaf to root, those of inlined functions
// included.
type stack struct {
	frames []frame
	value  int64
}

type frame struct {
	name, file string
}

// Read reads a profile, compressed or not. Of its kinds of value it takes the one
// that go tool pprof takes: the default that the profile names, else the last.
//
// It refuses what holds no samples, and the difference of two profiles.
func Read(r io.Reader) (*Profile, error) {
	data, err := uncompressed(r)
	if err != nil {
		return nil, fmt.Errorf("reading the profile: %w", err)
	}
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the profile: %w%s", err, hint(data))
	}
	if len(p.SampleType) == 0 {
		return nil, errors.New("reading the profile: it names no kind of value" + hint(data))
	}
	p.RemoveUninteresting() // as pprof does: drops the frames that the profile itself names
	of := p.SampleType[len(p.SampleType)-1].Type
	if p.DefaultSampleType != "" {
		of = p.DefaultSampleType
	}
	return (&Profile{from: p}).Of(of)
}

// uncompressed reads all of r, and undoes its compression.
func uncompressed(r io.Reader) ([]byte, error) {
	data, err := limited(r)
	if err != nil || !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = limited(z)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("it is cut off\nhint: the runtime writes a CPU profile when pprof.StopCPUProfile is " +
			"called: did the program end before?")
	}
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return data, nil
}

func limited(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxBytes:
		return nil, fmt.Errorf("it has more than %d MiB", maxBytes>>20)
	case len(data) == 0:
		return nil, errors.New("it is empty\nhint: the runtime writes a CPU profile when pprof.StopCPUProfile is " +
			"called: did the program end before?")
	}
	return data, nil
}

// hint returns what data that is no profile may be instead.
func hint(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("go 1.")):
		return "\nhint: this is an execution trace: memcost trace reads it"
	case bytes.HasPrefix(data, []byte("\x7fELF")):
		return "\nhint: this is a program; give its profile"
	case bytes.HasPrefix(data, []byte("heap profile: ")), bytes.HasPrefix(data, []byte("goroutine profile: ")):
		return "\nhint: this is a profile as text: leave out debug=1 when writing it"
	}
	return "\nhint: a profile is what go test -cpuprofile, -memprofile and runtime/pprof write"
}

// Types returns the kinds of value that the profile holds, in its order.
func (p *Profile) Types() []string {
	var types []string
	for _, t := range p.from.SampleType {
		types = append(types, t.Type)
	}
	return types
}

// Of returns the same profile with another kind of value, one of Types.
func (p *Profile) Of(kind string) (*Profile, error) {
	i := slices.Index(p.Types(), kind)
	if i < 0 {
		return nil, fmt.Errorf("reading the profile: it has no values %q, only %s", kind, strings.Join(p.Types(), ", "))
	}
	count := slices.Index(p.Types(), "samples")
	q := &Profile{Type: kind, Unit: p.from.SampleType[i].Unit, from: p.from}
	for _, s := range p.from.Sample {
		v := s.Value[i]
		switch {
		case v < 0 || count >= 0 && s.Value[count] < 0:
			return nil, errors.New("reading the profile: it holds negative values, as the difference of two " +
				"profiles does: give one profile")
		case v == 0:
			continue
		case count >= 0:
			q.Samples += s.Value[count]
		default:
			q.Samples++
		}
		if q.Total += v; q.Total < 0 {
			return nil, errors.New("reading the profile: the sum of its values is too large: it is damaged")
		}
		q.stacks = append(q.stacks, stack{frames(s), v})
	}
	if q.Total == 0 {
		return nil, fmt.Errorf("reading the profile: it has no samples of %s\nhint: the runtime looks 100 times in "+
			"a second of CPU time, and at every 512 KiB allocated: the program did too little", kind)
	}
	return q, nil
}

// frames returns a sample's frames, from leaf to root. A location without a function, in
// code for which the runtime has no symbols, gets a name of its own.
func frames(s *profile.Sample) []frame {
	var all []frame
	for _, loc := range s.Location {
		if len(loc.Line) == 0 {
			all = append(all, frame{name: unknownName(loc)})
		}
		for _, line := range loc.Line {
			if line.Function == nil || line.Function.Name == "" {
				all = append(all, frame{name: unknownName(loc)})
				continue
			}
			all = append(all, frame{line.Function.Name, line.Function.Filename})
		}
	}
	if len(all) == 0 {
		all = []frame{{name: "[no stack]"}}
	}
	return all
}

func unknownName(loc *profile.Location) string { return fmt.Sprintf("[%#x]", loc.Address) }

// MaxDepth is the number of frames of a stack that are drawn. The Go runtime records up
// to 128; deeper frames count for the last one drawn.
const MaxDepth = 256

// A node is a function as called by its parent, with its values in the profile's Unit.
type node struct {
	Name     string   `json:"name"`
	Says     string   `json:"says"`
	File     string   `json:"file,omitempty"`
	Category Category `json:"category"` // of its own time; it depends on those that called it
	Before   int64    `json:"before"`   // what its caller's others before it have
	Cum      int64    `json:"cum"`      // in it and all that it called
	Of       []*node  `json:"of,omitempty"`

	flat    int64 // in the function itself
	byFrame map[frame]*node
}

// tree merges the stacks from their roots. What a node calls stands in the order of the
// names, so that two profiles of one program look alike.
func (p *Profile) tree() *node {
	root := &node{Name: "all", Category: Other}
	for _, s := range p.stacks {
		n := root
		n.Cum += s.value
		for i := len(s.frames) - 1; i >= 0 && len(s.frames)-i <= MaxDepth; i-- {
			n = n.child(s.frames[i:])
			n.Cum += s.value
		}
		n.flat += s.value
	}
	root.sort()
	return root
}

// child returns the node for the first of the frames; the others are below it.
func (n *node) child(frames []frame) *node {
	c := n.byFrame[frames[0]]
	if c == nil {
		c = &node{Name: frames[0].name, File: frames[0].file, Category: category(frames)}
		if n.byFrame == nil {
			n.byFrame = map[frame]*node{}
		}
		n.byFrame[frames[0]] = c
		n.Of = append(n.Of, c)
	}
	return c
}

func (n *node) sort() {
	slices.SortFunc(n.Of, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
	})
	for _, c := range n.Of {
		c.sort()
	}
}

// depth returns how many rows a node and those below it take.
func (n *node) depth() int {
	deepest := 0
	for _, c := range n.Of {
		deepest = max(deepest, c.depth())
	}
	return deepest + 1
}
