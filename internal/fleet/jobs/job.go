// Package jobs writes what makes machines measure the shards of a plan: jobs for Slurm, a command for
// GNU parallel over ssh, a manifest for Kubernetes, commands for a shell. It is pure: a plan and
// options in, the text of scripts out. memcost submit starts them.
package jobs

import (
	"fmt"
	"regexp"
	"time"

	"memcost/internal/base/hint"
)

// A Submission is a plan given to a scheduler once.
type Submission struct {
	Plan     string // hash
	Number   int    // of the submission in the place, from 0 on
	Shards   int
	Kinds    []string // features or labels of the nodes, one array each; none: any node
	Replicas int      // how many times each kind measures the plan
	To       string   // the place, as every machine sees it
	Folder   bool     // whether the place is a folder
	Results  string   // the folder of run folders, on the machine that measures
	// Limit is how long an attempt may take before it is ended.
	Limit    time.Duration
	Dir      string // the folder of the files below, as Slurm's nodes see it
	Programs []Program
	Image    string   // of the containers
	Options  []string // further ones of the scheduler's command
}

// A Program is the memcost of an architecture.
type Program struct {
	OS, Arch string // of Go
	SHA256   string
	From     string // its file here
}

// Name is what the file of a program is called.
func (p Program) Name() string { return "memcost-" + p.OS + "-" + p.Arch }

// A File is one that a job needs: its text, or the program that it is a copy of.
type File struct {
	Name       string `json:"name"`
	Text       string `json:"text,omitempty"`
	From       string `json:"from,omitempty"`
	SHA256     string `json:"sha256,omitempty"`
	Executable bool   `json:"-"`
}

// A Command starts a job.
type Command struct {
	Program string
	Args    []string
	Kind    string
	Tasks   int
}

// Attempts at a shard are numbered so that a number tells the submission, the replica and how often
// the scheduler began the task anew: of an earlier submission they are before those of a later one.
const (
	submissionStep = 1_000_000
	replicaStep    = 1_000
)

// kindName matches what may name a kind: it stands in scripts, in manifests and in names of files.
var kindName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,40}[A-Za-z0-9])?$`)

// Check refuses what no job can be made of.
func (s *Submission) Check() error {
	seen := map[string]bool{}
	for _, k := range s.Kinds {
		if !kindName.MatchString(k) {
			return hint.Usage("--kinds rpi4,epyc", "--kinds %q: a kind is a word of letters, digits, _, . and -", k)
		}
		if seen[k] {
			return hint.Usage("--replicas 2 measures each kind twice", "--kinds: %s is there twice", k)
		}
		seen[k] = true
	}
	if s.Replicas < 1 || s.Replicas > submissionStep/replicaStep {
		return hint.Usage("--replicas 3", "--replicas %d: there are 1 to %d", s.Replicas, submissionStep/replicaStep)
	}
	return nil
}

// KindNames returns the kinds, or "" for any node.
func (s *Submission) KindNames() []string {
	if len(s.Kinds) == 0 {
		return []string{""}
	}
	return s.Kinds
}

// Tasks is how many tasks each kind has.
func (s *Submission) Tasks() int { return s.Shards * s.Replicas }

// named names a kind, "any" for that of any node.
func named(kind string) string {
	if kind == "" {
		return "any"
	}
	return kind
}

// taskPrefix begins the name of the tasks of a kind: what an attempt says that it was begun by.
func taskPrefix(number int, kind string) string {
	return fmt.Sprintf("%d/%s", number, named(kind))
}
