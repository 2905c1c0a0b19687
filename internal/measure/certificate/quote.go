package certificate

import (
	"errors"
	"fmt"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/machine"
)

// A Quote is what a run keeps of the certificate that its machine had when it began.
type Quote struct {
	Made        time.Time `json:"made"`
	Method      int       `json:"method"`
	Passed      bool      `json:"passed"`
	Comparisons int       `json:"comparisons"` // of identical copies
	Alarms      int       `json:"false_alarms"`
	AtMost      float64   `json:"at_most"`   // upper end of the 95% interval of the rate
	Known       int       `json:"slowdowns"` // comparisons with a known slowdown
	Covered     int       `json:"covered"`   // those whose interval held the truth at every look
	// Refused says why the certificate that was there does not count; the fields above are
	// then 0.
	Refused string `json:"refused,omitempty"`
}

// OfHere returns the quote of this machine's certificate, nil where there is none.
func OfHere() *Quote {
	dir, err := Dir()
	if err != nil {
		return nil
	}
	here, err := machine.Identify("")
	if err != nil {
		return nil
	}
	return quote(Read(dir, here))
}

func quote(c *Certificate, err error) *Quote {
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		says, _ := hint.Split(err)
		return &Quote{Refused: says}
	}
	return QuoteOf(c)
}

// QuoteOf returns the quote of a certificate.
func QuoteOf(c *Certificate) *Quote {
	all, known := c.All(), c.Known()
	return &Quote{Made: c.Made, Method: c.Method, Passed: c.Passed(), Comparisons: all.Comparisons, Alarms: all.Alarms,
		AtMost: all.Bounds().Hi, Known: known.Comparisons, Covered: known.Covered}
}

// Sentence says what is known of the instrument on the machine of a run, in a sentence or
// two for people; of nil, that nothing is.
func (q *Quote) Sentence() string {
	switch {
	case q == nil:
		return "This machine has no certificate; memcost certify makes one."
	case q.Refused != "":
		return "This machine has no certificate that counts: " + q.Refused + ". Run memcost certify again."
	}
	figures := fmt.Sprintf("%s in %d comparisons (at most %s), truth inside %s of the intervals",
		units.Plural(q.Alarms, "false alarm"), q.Comparisons, percent(q.AtMost),
		percent(float64(q.Covered)/float64(max(q.Known, 1))))
	if !q.Passed {
		return fmt.Sprintf("This machine did not pass memcost certify on %s: %s.", q.Made.Format("2006-01-02"), figures)
	}
	return fmt.Sprintf("This machine's certificate of %s: %s.", q.Made.Format("2006-01-02"), figures)
}
