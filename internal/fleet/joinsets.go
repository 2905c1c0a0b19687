// This part of the package makes one run of the attempts at the shards of a plan: what is kept of each, in which
// order, and what is missing. Its rules look at who measured what and when it ended, and never at a
// result. It is pure: readers in, a writer out.

package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/measure/plan"

	"golang.org/x/perf/benchfmt"
)

// A Folder is what one attempt measured.
type Folder struct {
	Name     string // for messages
	Question *plan.Question
	// Samples streams its samples in the order in which they were taken. A Result belongs to the reader.
	Samples func(fn func(*benchfmt.Result) error) error
}

// A Set is a data set: the attempts of one machine in one state, of which the shards are joined.
type Set struct {
	Machine string // the machine's kind and identity
	State   string // what tells it from other sets of the machine: "kernel 6.1.0"; "" for the only one
	Folders []Folder
}

// Sets parts attempts into data sets. A shard that moved to another machine belongs to that of the
// other machine; so does one that was measured by another version of memcost, after another
// calibration, with another kernel or with other binaries, to a set of its own.
func Sets(folders []Folder) []Set {
	var out []Set
	var states []string
	for _, f := range inOrder(folders) {
		key := f.Question.Attempt.Machine + "\n" + strings.Join(stateOf(f.Question), "\n")
		at := slices.Index(states, key)
		if at < 0 {
			at = len(out)
			out, states = append(out, Set{Machine: f.Question.Attempt.Machine}), append(states, key)
		}
		out[at].Folders = append(out[at].Folders, f)
	}
	nameStates(out)
	return out
}

// stateOf is what must be the same in all attempts of a data set. Compilers are those that the plan
// names, and the shipped studies belong to the version of memcost; the user's code is known by what was
// built of it, which also differs with the folder of the cache.
func stateOf(q *plan.Question) []string {
	code := ""
	for _, b := range q.Builds {
		if len(q.Packages) > 0 {
			code += fmt.Sprintf(" %.8s", b.Hash)
		}
	}
	return []string{"kernel " + q.Machine.Kernel, q.Tool, "calibration " + q.Attempt.Calibration, "binaries" + code}
}

// nameStates says of the sets of one machine what tells each from the first.
func nameStates(sets []Set) {
	first := map[string][]string{}
	for i := range sets {
		state := stateOf(sets[i].Folders[0].Question)
		base, known := first[sets[i].Machine]
		if !known {
			first[sets[i].Machine] = state
			continue
		}
		var differs []string
		for k := range state {
			if state[k] != base[k] {
				differs = append(differs, state[k])
			}
		}
		sets[i].State = strings.Join(differs, ", ")
	}
}

// Labels returns what each of several sets is called beside the others: the name of its machine, with
// its identity where another has that name, and its state.
func Labels(sets []Set) []string {
	machines := map[string][]string{} // by host name
	host := func(s Set) string { return s.Folders[len(s.Folders)-1].Question.Machine.Hostname }
	for _, s := range sets {
		if of := machines[host(s)]; !slices.Contains(of, s.Machine) {
			machines[host(s)] = append(of, s.Machine)
		}
	}
	var out []string
	for _, s := range sets {
		name := host(s)
		if len(machines[name]) > 1 || name == "" {
			name = strings.TrimSpace(name + " " + s.Machine)
		}
		if s.State != "" {
			name += ", " + s.State
		}
		out = append(out, name)
	}
	return out
}

// inOrder sorts attempts: by number, for schedulers count them and a board may have lost its clock;
// then by when they began.
func inOrder(folders []Folder) []Folder {
	return slices.SortedStableFunc(slices.Values(folders), func(a, b Folder) int {
		x, y := a.Question.Attempt, b.Question.Attempt
		return cmp.Or(cmp.Compare(x.Number, y.Number), x.Began.Compare(y.Began), cmp.Compare(x.Shards, y.Shards),
			cmp.Compare(x.Shard, y.Shard), cmp.Compare(x.Token, y.Token), cmp.Compare(a.Name, b.Name))
	})
}
