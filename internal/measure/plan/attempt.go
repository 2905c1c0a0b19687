package plan

import (
	"fmt"
	"time"
)

// An Attempt is one go at a shard of a plan file, on one machine. Together with a sample's round
// and order it says which sample of all machines one is.
type Attempt struct {
	Plan        string `json:"plan"`        // hash of the plan file
	Calibration string `json:"calibration"` // hash of what the plan file has for machines of this kind
	Machine     string `json:"machine"`     // its kind and its own identity
	Boot        string `json:"boot"`        // changes with every start of the machine
	Shard       int    `json:"shard"`       // from 1 on
	Shards      int    `json:"shards"`
	Number      int    `json:"attempt"` // from 0 on
	// Token is drawn for each attempt: two that were started with the same number are told by it.
	Token string    `json:"token"`
	Began time.Time `json:"began"` // by the machine's clock
	// Ended says why it ended; "" while it runs, and when it was killed.
	Ended string `json:"ended,omitempty"`
	// Whole reports that all was measured that was to be: it was not interrupted.
	Whole bool `json:"whole,omitempty"`
}

// ID returns what two copies of one attempt share.
func (a Attempt) ID() string {
	return fmt.Sprintf("%s/%s/%s/%s/%d", a.Plan, a.Machine, a.Boot, a.Part(), a.Number)
}

// Part returns the shard as the name of a folder: "3-of-8".
func (a Attempt) Part() string { return fmt.Sprintf("%d-of-%d", a.Shard, a.Shards) }

// Check reports what no attempt can have.
func (a Attempt) Check() error {
	switch {
	case a.Plan == "" || a.Machine == "" || a.Token == "":
		return fmt.Errorf("the attempt names no plan, machine or token")
	case a.Shard < 1 || a.Shard > a.Shards:
		return fmt.Errorf("the attempt is of shard %d of %d", a.Shard, a.Shards)
	case a.Number < 0:
		return fmt.Errorf("the attempt has the number %d", a.Number)
	}
	return nil
}
