// This part of the package is the file that memcost plan writes: what is to be measured, on whichever
// machines, with the calibration of each kind of machine. It is pure: bytes in, structs out.

package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// Format is the version of the file: see docs/format.md.
const Format = 1

// Name is what a plan file is called in a place.
const Name = "plan.json"

// A File is a plan for any number of machines.
type File struct {
	Format  int       `json:"format"`
	Tool    string    `json:"tool"` // version of memcost
	Created time.Time `json:"created"`
	// Hash is that of what is measured: Asked, the studies and the cases, and the version of memcost;
	// but neither of the times, nor of the calibrations.
	Hash  string `json:"hash"`
	Asked Asked  `json:"asked"`
	Kinds []Kind `json:"kinds"` // in the order in which they were added
}

// Asked is what was asked for, for machines of other kinds to be calibrated as the first was.
type Asked struct {
	Args            []string      `json:"args"` // studies and packages
	Go              string        `json:"go,omitempty"`
	Vary            []string      `json:"vary,omitempty"`
	Only            string        `json:"only,omitempty"`
	Tags            string        `json:"tags,omitempty"`
	Label           string        `json:"label,omitempty"`
	Claims          []string      `json:"claims,omitempty"`
	Profile         string        `json:"profile"`
	Bench           string        `json:"bench,omitempty"`
	CPU             []int         `json:"cpu,omitempty"`
	Load            []string      `json:"load,omitempty"`
	Seed            uint64        `json:"seed"`
	Rounds          int           `json:"rounds,omitempty"`
	Precision       float64       `json:"precision,omitempty"`
	Budget          time.Duration `json:"budget_ns,omitempty"` // of the whole plan, on one machine
	Sample          time.Duration `json:"sample_ns,omitempty"`
	Timeout         time.Duration `json:"timeout_ns,omitempty"`
	Alpha           float64       `json:"alpha,omitempty"`
	Layouts         int           `json:"layouts,omitempty"`
	Slices          *int          `json:"slices,omitempty"`
	StopWhenDecided bool          `json:"stop_when_decided,omitempty"`
	NoGuards        bool          `json:"no_guards,omitempty"`
}

// A Kind is what was found on the first machine of a kind, for all of them.
type Kind struct {
	Kind       string    `json:"kind"`    // machine.Fingerprint.Kind
	Machine    string    `json:"machine"` // in words
	Calibrated time.Time `json:"calibrated"`
	// Hash is that of the calibration: of the cases with their iterations, and of the binaries.
	Hash string `json:"hash"`
	// Question is that of a run of the whole plan on a machine of this kind.
	Question *plan.Question `json:"question"`
	// Rounds are how many each case needs for the verdicts on it, parallel to the plan's cases: by
	// them shards are balanced.
	Rounds []int `json:"rounds"`
}

// content is what the hash of a file is of.
type content struct {
	Tool    string
	Asked   Asked
	Arms    []string
	Studies []study
	Cases   []string
}

// study is what is measured of a suite and claimed of it, on any machine.
type study struct {
	Name, Pkg  string
	Directives []language.Directive
	Show       *language.Show
}

// Content returns the hash of what the file measures.
func (f *File) Content() string {
	c := content{Tool: f.Tool, Asked: f.Asked}
	if len(f.Kinds) > 0 {
		p := &f.Kinds[0].Question.Plan
		for _, a := range p.Arms {
			c.Arms = append(c.Arms, a.Name)
		}
		for _, s := range p.Suites {
			c.Studies = append(c.Studies, study{s.Name, s.Pkg, s.Directives, s.Show})
		}
		for _, x := range p.Cases {
			c.Cases = append(c.Cases, p.Suites[x.Suite].Name+" "+x.Base)
		}
	}
	c.Cases = slices.Compact(c.Cases)
	return hashOf(c)
}

// Content returns the hash of a calibration.
func (k *Kind) Content() string {
	p := k.Question.Plan
	p.Prepared = 0
	return hashOf(struct {
		Kind   string
		Plan   plan.Plan
		Builds []plan.Build
		Rounds []int
	}{k.Kind, p, k.Question.Builds, k.Rounds})
}

// digits of a hash: what two plans in a place are told by, and a folder is called.
const digits = 12

func hashOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil { // no type here has a value that JSON has not, but for what is no number
		data = fmt.Append(nil, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:digits]
}

// Add adds the calibration of a kind of machines, or puts it in the place of an earlier one.
func (f *File) Add(k Kind) {
	k.Hash = k.Content()
	if i := slices.IndexFunc(f.Kinds, func(x Kind) bool { return x.Kind == k.Kind }); i >= 0 {
		f.Kinds[i] = k
	} else {
		f.Kinds = append(f.Kinds, k)
	}
	if f.Hash == "" {
		f.Hash = f.Content()
	}
}

// Of returns the calibration of a kind of machines, or nil.
func (f *File) Of(kind string) *Kind {
	for i := range f.Kinds {
		if f.Kinds[i].Kind == kind {
			return &f.Kinds[i]
		}
	}
	return nil
}

// Write writes the file.
func (f *File) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(f)
}

// Read reads a plan file and refuses one that was changed by hand, or damaged. name is for messages.
func Read(name string, data []byte) (*File, error) {
	f := &File{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(f); err != nil {
		return nil, unusable(name, fmt.Errorf("it is no plan file: %w", err))
	}
	if err := f.check(); err != nil {
		return nil, unusable(name, err)
	}
	return f, nil
}

func unusable(name string, err error) error {
	return hint.With("memcost plan STUDY -o "+Name+" writes one", fmt.Errorf("reading the plan %s: %w", name, err))
}

func (f *File) check() error {
	switch {
	case f.Format == 0 || f.Hash == "":
		return fmt.Errorf("it has no format and no hash: it is none that memcost plan wrote")
	case f.Format != Format:
		return fmt.Errorf("it has format %d and this memcost reads format %d", f.Format, Format)
	case len(f.Kinds) == 0:
		return fmt.Errorf("it has no calibration")
	}
	for i := range f.Kinds {
		if err := f.Kinds[i].check(); err != nil {
			return err
		}
	}
	if got := f.Content(); got != f.Hash {
		return fmt.Errorf("its content has the hash %s, and it says %s: it was changed after memcost plan wrote it",
			got, f.Hash)
	}
	return nil
}

func (k *Kind) check() error {
	if k.Question == nil || len(k.Rounds) != len(k.Question.Plan.Cases) {
		return fmt.Errorf("the calibration of kind %s is not whole", k.Kind)
	}
	if err := k.Question.Check(); err != nil {
		return fmt.Errorf("the calibration of kind %s: %w", k.Kind, err)
	}
	if got := k.Content(); got != k.Hash {
		return fmt.Errorf("the calibration of kind %s has the hash %s, and it says %s: it was changed after memcost "+
			"plan wrote it", k.Kind, got, k.Hash)
	}
	return nil
}
