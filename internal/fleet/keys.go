package fleet

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"memcost/internal/measure/plan"
)

// What a place holds of an attempt: PLAN/MACHINE/3-of-8/ATTEMPT/ with begun.json, written before
// anything is measured; TOKEN/ with the files of the run folder; and done.json, written last.
const (
	begunFile = "begun.json"
	doneFile  = "done.json"
)

// A begun says that an attempt was begun.
type begun struct {
	plan.Attempt
	Host string `json:"host"`
	CPU  string `json:"cpu"`
	// Job is the task of a submission that began it, "" for none.
	Job string `json:"job,omitempty"`
	// Expected is how long it takes at most, with the building.
	Expected time.Duration `json:"expected_ns"`
}

// A done says that an attempt is whole in the place.
type done struct {
	plan.Attempt
	Host    string `json:"host"`
	CPU     string `json:"cpu"`
	Samples int    `json:"samples"`
	Files   []file `json:"files"`
}

// A file is one of an attempt's in the place.
type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// keyOf returns the folder of an attempt in a place.
func keyOf(a plan.Attempt) string {
	return fmt.Sprintf("%s/%s/%s/%d/", a.Plan, a.Machine, a.Part(), a.Number)
}

// A slot is what the key of an object says: whose it is.
type slot struct {
	machine       string
	shard, shards int
	number        int
}

// slotOf reads a key below a plan's folder: MACHINE/3-of-8/0/REST.
func slotOf(key string) (s slot, rest string, ok bool) {
	parts := strings.SplitN(key, "/", 4)
	if len(parts) < 4 {
		return s, "", false
	}
	shard, shards, of := strings.Cut(parts[1], "-of-")
	i, err1 := strconv.Atoi(shard)
	n, err2 := strconv.Atoi(shards)
	number, err3 := strconv.Atoi(parts[2])
	if !of || cmp.Or(err1, err2, err3) != nil || i < 1 || i > n || number < 0 {
		return s, "", false
	}
	return slot{parts[0], i, n, number}, parts[3], true
}
