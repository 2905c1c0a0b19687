package main

import (
	"encoding/json"
	"fmt"
	"math"
)

// An answer is the part of memcost's --json that is read; docs/format.md describes it.
type answer struct {
	Folder    string  `json:"run_folder"`
	Rounds    int     `json:"rounds"`
	Samples   int     `json:"samples"`
	WallSec   number  `json:"wall_sec"`
	Disturbed number  `json:"disturbed_share"`
	Unfit     bool    `json:"unfit"`
	Suites    []suite `json:"suites"`
}

type suite struct {
	Cases  []caseAnswer `json:"cases"`
	Claims []struct {
		Verdicts []struct {
			Status string `json:"status"`
		} `json:"verdicts"`
	} `json:"claims"`
}

type caseAnswer struct {
	Name    string      `json:"name"`
	VsFirst *comparison `json:"vs_first_arm"`
}

type comparison struct {
	Lo         number `json:"lo"`
	Hi         number `json:"hi"`
	Medians    number `json:"medians"`
	Rounds     int    `json:"rounds"`
	Note       string `json:"note"`
	Difference string `json:"difference"`
}

// A number is a figure that may be null, which becomes NaN.
type number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = number(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// parseAnswer reads the answer of one run.
func parseAnswer(data []byte) (*answer, error) {
	var all []answer
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("reading the answer of memcost: %w", err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("reading the answer of memcost: it holds %d runs, not 1", len(all))
	}
	return &all[0], nil
}

// notConstant is memcost's word for a ratio of which its confidence sequence
// excludes every value, 1 among them; the answer shows that without bounds.
const notConstant = "not constant over the run"

// excludesOne reports whether the confidence sequence excludes equal arms. A bound that
// is null is none: NaN compares as false.
func (c *comparison) excludesOne() bool {
	return c.Note == notConstant || c.Lo > 1 || c.Hi < 1
}

// pairs returns the answer's comparisons of an arm with the first one, without those
// that have no figure.
func (a *answer) pairs() []pair {
	var out []pair
	for _, s := range a.Suites {
		for _, c := range s.Cases {
			if x := c.VsFirst; x != nil && x.Medians > 0 {
				out = append(out, pair{Case: c.Name, Different: x.excludesOne(), Changed: x.Difference == "changed",
					Ratio: float64(x.Medians), Rounds: x.Rounds})
			}
		}
	}
	return out
}
