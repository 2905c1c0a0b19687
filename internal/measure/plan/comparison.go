package plan

import (
	"slices"
	"strings"
	"time"
)

// WorkTree is what the side is called that is the files as they lie.
const WorkTree = "work tree"

// A Source is a state of the user's code.
type Source struct {
	// Revision is what the user called it ("main~1", "v1.2.0"), "." for the files as they lie
	// in the work tree, "" where nobody named one.
	Revision string    `json:"revision,omitempty"`
	Commit   string    `json:"commit,omitempty"`   // in full; "" outside of a repository
	Modified bool      `json:"modified,omitempty"` // the files differ from the commit
	Subject  string    `json:"subject,omitempty"`  // first line of the commit's message
	Date     time.Time `json:"date,omitzero"`      // of the commit
	// State is a hash of what differs from the commit, by which --resume knows the files.
	State string `json:"state,omitempty"`
}

// Name returns what the state of the code is called: the revision as someone named it, else
// "commit abc1234", with "+modified" where files differ from it; "" where neither is known.
func (s *Source) Name() string {
	if s == nil {
		return ""
	}
	name := s.Revision
	if name == "" || name == "." {
		if s.Commit == "" {
			return ""
		}
		name = "commit " + s.Short()
	}
	if s.Modified {
		name += "+modified"
	}
	return name
}

// shortCommit is how many digits of a commit are shown.
const shortCommit = 7

// Short returns the first digits of the commit.
func (s *Source) Short() string { return s.Commit[:min(shortCommit, len(s.Commit))] }

// A Comparison is what memcost compare was asked, beside the plan's options. The sides are the
// plan's arms, the first of them the baseline.
type Comparison struct {
	TestArgs []string `json:"test_args,omitempty"` // of the test binaries on all sides: "-size=100"
	Stdin    string   `json:"stdin,omitempty"`     // file that each command reads
	Prepare  string   `json:"prepare,omitempty"`   // command before each sample, which is not timed
	// Shell is what starting a shell takes, in seconds, where it runs commands: it is part of
	// their times.
	Shell float64 `json:"shell_sec,omitempty"`
	// OneSided are the benchmarks that some sides do not have: they are not measured.
	OneSided []OneSided `json:"one_sided,omitempty"`
	// Alloc is what memcost alloc was asked and found before it measured, nil in comparisons of
	// other commands.
	Alloc *Alloc `json:"alloc,omitempty"`
}

// An Alloc is a program under several allocators, as it was found before anything was measured.
type Alloc struct {
	Program string `json:"program"`       // its file
	Own     string `json:"own_allocator"` // the one that it has by itself: "glibc"
	// Ends is how the program ends under its own allocator, which all others are held to: "exit
	// status 1", "SIGTERM".
	Ends string `json:"ends"`
	// Varies reports that what the program prints differs between two runs under its own
	// allocator: then only how it ends is compared.
	Varies bool   `json:"output_varies,omitempty"`
	Until  string `json:"until,omitempty"` // command that is the load of a server
	Ready  string `json:"ready,omitempty"` // command that asks whether the server answers
	// CallsPerSec is how many calls of malloc and free the program makes in a second of CPU time,
	// under its own allocator; 0 is not known.
	CallsPerSec float64 `json:"calls_per_cpu_sec,omitempty"`
	// Left are the configurations that are not measured.
	Left  []NotMeasured `json:"not_measured,omitempty"`
	Notes []string      `json:"notes,omitempty"` // what else is to be known of the program
}

// NotMeasured names a configuration and why it is not measured.
type NotMeasured struct {
	Name string `json:"name"`
	// Invalid reports that it was tried and did something else than the program's own allocator
	// does; otherwise it did not take effect.
	Invalid bool   `json:"invalid,omitempty"`
	Why     string `json:"why"`
}

// OneSided names a benchmark that some sides do not have.
type OneSided struct {
	Suite string   `json:"package"`
	Name  string   `json:"name"` // "" is the package itself
	On    []string `json:"on"`   // the names of the arms that have it
}

// NotMeasuredSays says it in a sentence for all configurations of one reason: "jemalloc is INVALID:
// it died of SIGSEGV", "tbb, scudo take no effect: …".
func NotMeasuredSays(all []NotMeasured) []string {
	var out []string
	for i, n := range all {
		var names []string
		for j, x := range all {
			if x.Why != n.Why || x.Invalid != n.Invalid {
				continue
			}
			if j < i {
				names = nil
				break
			}
			names = append(names, x.Name)
		}
		if len(names) == 0 {
			continue
		}
		how := " takes no effect: "
		switch {
		case n.Invalid && len(names) == 1:
			how = " is INVALID: "
		case n.Invalid:
			how = " are INVALID: "
		case len(names) > 1:
			how = " take no effect: "
		}
		out = append(out, strings.Join(names, ", ")+how+n.Why)
	}
	return out
}

// AddOneSided notes benchmarks, each once, that some sides do not have.
func (c *Comparison) AddOneSided(more []OneSided) {
	for _, x := range more {
		if !slices.ContainsFunc(c.OneSided, func(o OneSided) bool { return o.Suite == x.Suite && o.Name == x.Name }) {
			c.OneSided = append(c.OneSided, x)
		}
	}
}
