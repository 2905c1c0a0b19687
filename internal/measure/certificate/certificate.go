// Package certificate holds what memcost certify proved about a machine: how often the
// instrument was wrong there, and how often right. A certificate is a file in the user's
// folder of settings; every run quotes it.
package certificate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"memcost/internal/base/atomicfile"
	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/method/stat"
)

// Format is the version of the file.
const Format = 1

// What a certificate asks for.
const (
	// MaxFalseAlarms is the largest rate of false alarms, as the upper end of its 95% interval.
	MaxFalseAlarms = 0.05
	// MinCovered is the least share of the intervals of known slowdowns that hold the truth,
	// at each look from the first to the last.
	MinCovered = 0.95
	// MinComparisons and MinKnown are the fewest comparisons of identical copies, and of known
	// slowdowns: with fewer the rates are hardly known.
	MinComparisons = 600
	MinKnown       = 300

	// MaxDisturbed is the share of disturbed rounds above which a machine is not quiet: the
	// share from which a run calls it unfit.
	MaxDisturbed = 0.20
)

// A Certificate is the result of memcost certify.
type Certificate struct {
	Format  int              `json:"format"`
	Method  int              `json:"method"` // stat.Method
	Tool    string           `json:"tool"`   // version of memcost
	Made    time.Time        `json:"made"`
	Machine machine.Identity `json:"machine"`
	Go      string           `json:"go"` // toolchain of the cases

	Alpha   float64       `json:"alpha"`           // error rate of an interval
	Rounds  int           `json:"rounds"`          // of a comparison
	Layouts int           `json:"layouts"`         // of each side's pool of random links
	Links   int           `json:"links"`           // from which the pools are drawn
	Sample  time.Duration `json:"sample_ns"`       // loop time of one sample
	Spent   time.Duration `json:"spent_ns"`        // of measuring
	Budget  time.Duration `json:"budget_ns"`       // of all
	Cases   []Case        `json:"cases"`           // by benchmark
	Under   []Condition   `json:"conditions"`      // by what ran beside
	Failed  int           `json:"failed"`          // samples whose process gave no result
	Because []string      `json:"lacks,omitempty"` // why the machine is not certified; none if it is
}

// A Count is how many comparisons of identical copies there were, and in how many of them the
// interval ever excluded 1.
type Count struct {
	Comparisons int `json:"comparisons"`
	Alarms      int `json:"false_alarms"`
	// Undecided counts those with too few rounds for a look: their processes failed.
	Undecided int `json:"undecided"`
}

// A Slowdown is what became of one known slowdown.
type Slowdown struct {
	By          float64 `json:"slower_by"` // 0.01 is 1%
	Comparisons int     `json:"comparisons"`
	Found       int     `json:"found"`         // the interval excluded 1 at some look
	Covered     int     `json:"covered"`       // the truth was inside at every look
	AtEnd       int     `json:"covered_last"`  // the truth was inside at the last look
	Rounds      float64 `json:"rounds_median"` // until found, of those found; 0 for none
	Seconds     float64 `json:"seconds_median"`
	Undecided   int     `json:"undecided"`
}

// A Condition is what ran beside the samples.
type Condition struct {
	Name string `json:"name"` // Quiet, CPU or Memory
	Count
	Known     []Slowdown `json:"slowdowns"`
	Disturbed float64    `json:"disturbed"` // share of the rounds that met the rule for excluded ones
}

// A Case is a benchmark, over all conditions.
type Case struct {
	Name string `json:"name"`
	Count
	Known   int `json:"slowdowns"`
	Covered int `json:"covered"`
}

// The conditions.
const (
	Quiet  = "quiet"
	CPU    = "busy core"
	Memory = "busy memory"
)

// All adds up the comparisons of identical copies.
func (c *Certificate) All() Count {
	var sum Count
	for _, u := range c.Under {
		sum.Comparisons += u.Comparisons
		sum.Alarms += u.Alarms
		sum.Undecided += u.Undecided
	}
	return sum
}

// Known adds up the known slowdowns.
func (c *Certificate) Known() Slowdown {
	var sum Slowdown
	for _, u := range c.Under {
		for _, k := range u.Known {
			sum.Comparisons += k.Comparisons
			sum.Found += k.Found
			sum.Covered += k.Covered
			sum.AtEnd += k.AtEnd
			sum.Undecided += k.Undecided
		}
	}
	return sum
}

// Passed reports whether the machine is certified.
func (c *Certificate) Passed() bool { return len(c.Because) == 0 }

// Whole reports whether there were enough comparisons to judge by, whatever they say.
func (c *Certificate) Whole() bool {
	return c.All().Comparisons >= MinComparisons && c.Known().Comparisons >= MinKnown
}

// Bounds is the Clopper–Pearson 95% interval of the rate of false alarms.
func (c Count) Bounds() stat.Interval { return stat.ClopperPearson(c.Alarms, c.Comparisons, 0.05) }

// CoveredBounds is the Clopper–Pearson 95% interval of the share covered.
func (s Slowdown) CoveredBounds() stat.Interval {
	return stat.ClopperPearson(s.Covered, s.Comparisons, 0.05)
}

// FoundBounds is the Clopper–Pearson 95% interval of the share found.
func (s Slowdown) FoundBounds() stat.Interval {
	return stat.ClopperPearson(s.Found, s.Comparisons, 0.05)
}

// Dir returns the folder of memcost's own data: MEMCOST_CONFIG, or memcost in the user's
// folder of settings.
func Dir() (string, error) {
	if dir := os.Getenv("MEMCOST_CONFIG"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", hint.With("set HOME, XDG_CONFIG_HOME or MEMCOST_CONFIG",
			fmt.Errorf("finding the folder of the certificate: %w", err))
	}
	return filepath.Join(dir, "memcost"), nil
}

// fileName is the certificate's, in Dir.
const fileName = "certificate.json"

// ErrNone is a machine without a certificate.
var ErrNone = errors.New("there is no certificate")

// again is what to do about a certificate that cannot be used.
const again = "run memcost certify again"

// Read returns the certificate of this machine. It refuses by name one that was made on
// another machine or by another method, and one that is damaged; ErrNone is returned where
// there is none. A certificate that is refused for where or how it was made is returned
// with the error.
func Read(dir string, here machine.Identity) (*Certificate, error) {
	path := filepath.Join(dir, fileName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	c := &Certificate{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, hint.New(again, "the certificate %s is damaged: %w", path, err)
	}
	switch {
	case c.Format != Format:
		return nil, hint.New(again, "the certificate %s has format %d, and this memcost reads format %d", path,
			c.Format, Format)
	case c.damaged() != "":
		return nil, hint.New(again, "the certificate %s is damaged: %s", path, c.damaged())
	case c.Machine.ID != here.ID:
		return c, hint.New(again, "the certificate of %s was made on another machine (%s)", c.Made.Format("2006-01-02"),
			c.Machine)
	case c.Method != stat.Method:
		return c, hint.New(again, "the certificate of %s was made by method %d, and this is method %d",
			c.Made.Format("2006-01-02"), c.Method, stat.Method)
	}
	return c, nil
}

// damaged says what no certificate can hold, "" for nothing.
func (c *Certificate) damaged() string {
	all, known := c.All(), c.Known()
	switch {
	case c.Made.IsZero() || c.Machine.ID == "":
		return "it does not say when and where it was made"
	case len(c.Under) == 0 || all.Comparisons <= 0:
		return "it holds no comparisons"
	case all.Alarms < 0 || all.Alarms > all.Comparisons || known.Covered < 0 || known.Covered > known.Comparisons:
		return "its counts contradict each other"
	case c.Made.After(time.Now().Add(24 * time.Hour)):
		return "it was made in the future"
	case !(c.Alpha > 0 && c.Alpha < 1) || c.Rounds < stat.Looks{Rounds: c.Rounds}.MinRounds(c.Alpha):
		return fmt.Sprintf("with %d rounds and α = %v nothing can be decided", c.Rounds, c.Alpha)
	}
	for _, u := range c.Under {
		if u.Alarms < 0 || u.Alarms > u.Comparisons || !(u.Disturbed >= 0 && u.Disturbed <= 1) {
			return "its counts contradict each other"
		}
		for _, k := range u.Known {
			if k.Found < 0 || k.Found > k.Comparisons || k.Covered > k.Comparisons {
				return "its counts contradict each other"
			}
		}
	}
	was := c.Because
	defer func() { c.Because = was }()
	if c.Judge(); (len(was) == 0) != c.Passed() {
		return "its counts do not give its verdict"
	}
	return ""
}

// Write keeps the certificate, whole or not at all.
func (c *Certificate) Write(dir string) (path string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("keeping the certificate: %w", err)
	}
	path = filepath.Join(dir, fileName)
	err = atomicfile.Write(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(c)
	})
	if err != nil {
		return "", fmt.Errorf("keeping the certificate: %w", err)
	}
	return path, nil
}

// Judge writes down what a certificate lacks.
func (c *Certificate) Judge() {
	c.Because = nil
	lacks := func(format string, args ...any) { c.Because = append(c.Because, fmt.Sprintf(format, args...)) }
	all, known := c.All(), c.Known()
	if all.Comparisons < MinComparisons {
		lacks("%d comparisons of identical copies, and a certificate takes %d: there was not enough time",
			all.Comparisons, MinComparisons)
	}
	if known.Comparisons < MinKnown {
		lacks("%d comparisons with a known slowdown, and a certificate takes %d: there was not enough time",
			known.Comparisons, MinKnown)
	}
	high := all.Bounds().Hi
	if all.Comparisons > 0 && high > MaxFalseAlarms && (c.Whole() || all.rate() > MaxFalseAlarms) {
		lacks("%s in %d comparisons: the rate may be %s, and a certificate takes at most %s",
			units.Plural(all.Alarms, "false alarm"), all.Comparisons, percent(high), percent(MaxFalseAlarms))
	}
	for _, u := range c.Under {
		if u.Name == Quiet && u.Disturbed > MaxDisturbed {
			lacks("the machine was not quiet: other programs ran in %s of the rounds of that condition",
				percent(u.Disturbed))
		}
		if low := u.Bounds().Lo; u.Comparisons > 0 && low > MaxFalseAlarms {
			lacks("%s: at least %s of the comparisons of identical copies are false alarms", u.Name, percent(low))
		}
	}
	if known.Comparisons > 0 && float64(known.Covered) < MinCovered*float64(known.Comparisons) {
		lacks("the truth was inside %s of the intervals of known slowdowns, and a certificate takes at least %s",
			percent(known.covered()), percent(MinCovered))
	}
	if lost := all.Undecided + known.Undecided; lost > (all.Comparisons+known.Comparisons)/20 {
		lacks("%d of %d comparisons had no result: their processes failed", lost,
			lost+all.Comparisons+known.Comparisons)
	}
}

func (c Count) rate() float64 { return float64(c.Alarms) / float64(c.Comparisons) }

func (s Slowdown) covered() float64 { return float64(s.Covered) / float64(s.Comparisons) }

// percent is a share with two digits, but never rounded to all or nothing.
func percent(share float64) string {
	switch {
	case share <= 0 || share >= 1:
		return fmt.Sprintf("%.0f%%", 100*share)
	case share > 0.995:
		return fmt.Sprintf("%.2f%%", min(100*share, 99.99))
	case share >= 0.0995 && share != math.Trunc(100*share)/100:
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return fmt.Sprintf("%.2g%%", 100*share)
}

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
