package main

import (
	"encoding/json"
	"fmt"
	"math"
)

// An answer is the part of memcost's --json that is read; docs/format.md describes it.
type answer struct {
	Folder    string     `json:"run_folder"`
	Rounds    int        `json:"rounds"`
	Samples   int        `json:"samples"`
	WallSec   number     `json:"wall_sec"`
	Disturbed number     `json:"disturbed_share"`
	Unfit     bool       `json:"unfit"`
	Studies   []answered `json:"suites"`
}

type answered struct {
	Name   string        `json:"name"`
	Cases  []caseAnswer  `json:"cases"`
	Claims []claimAnswer `json:"claims"`
}

type claimAnswer struct {
	ID       string          `json:"id"`
	Text     string          `json:"claim"`
	Verdicts []verdictAnswer `json:"verdicts"`
}

type verdictAnswer struct {
	Data      string `json:"data"`
	Published bool   `json:"published"` // it speaks of figures that others published
	Status    string `json:"status"`
	Busy      bool   `json:"busy"`
	Elements  []struct {
		Label  string `json:"label"`
		Status string `json:"status"`
		Figure struct {
			Value  number `json:"value"`
			Lo     number `json:"lo"`
			Hi     number `json:"hi"`
			Rounds int    `json:"rounds"`
			Note   string `json:"note"`
		} `json:"figure"`
	} `json:"elements"`
	Notes []string `json:"notes"`
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
	all, err := parseAnswers(data)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("reading the answer of memcost: it holds %d runs, not 1", len(all))
	}
	return &all[0], nil
}

// parseAnswers reads the answers of several runs.
func parseAnswers(data []byte) (all []answer, err error) {
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("reading the answer of memcost: %w", err)
	}
	return all, nil
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
	for _, s := range a.Studies {
		for _, c := range s.Cases {
			if x := c.VsFirst; x != nil && x.Medians > 0 {
				out = append(out, pair{Case: c.Name, Different: x.excludesOne(), Changed: x.Difference == "changed",
					Ratio: float64(x.Medians), Rounds: x.Rounds})
			}
		}
	}
	return out
}
