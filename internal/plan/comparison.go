package plan

import (
	"slices"
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
}

// OneSided names a benchmark that some sides do not have.
type OneSided struct {
	Suite string   `json:"package"`
	Name  string   `json:"name"` // "" is the package itself
	On    []string `json:"on"`   // the names of the arms that have it
}

// AddOneSided notes benchmarks, each once, that some sides do not have.
func (c *Comparison) AddOneSided(more []OneSided) {
	for _, x := range more {
		if !slices.ContainsFunc(c.OneSided, func(o OneSided) bool { return o.Suite == x.Suite && o.Name == x.Name }) {
			c.OneSided = append(c.OneSided, x)
		}
	}
}
