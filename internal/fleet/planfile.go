// This part of the package is the file that memcost plan writes: what is to be measured, on whichever
// machines, with the calibration of each kind of machine. It is pure: bytes in, structs out.

package fleet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
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
	Hash string `json:"hash"`
	// Asked is what was asked for, for machines of other kinds to be calibrated as the first was.
	Asked session.Options `json:"asked"`
	Kinds []Kind          `json:"kinds"` // in the order in which they were added
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
	Asked   session.Options
	Sides   []string `json:"Arms"` // its name is part of the hash
	Studies []study
	Cases   []string
}

// study is what is measured of a study and claimed of it, on any machine.
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
		for _, a := range p.Sides {
			c.Sides = append(c.Sides, a.Name)
		}
		for _, s := range p.Studies {
			c.Studies = append(c.Studies, study{s.Name, s.Pkg, s.Directives, s.Show})
		}
		for _, x := range p.Cases {
			c.Cases = append(c.Cases, p.Studies[x.Study].Name+" "+x.Base)
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

// Merge adds the calibrations of another file of the same plan: of kinds that this one does not have, and of those that
// were calibrated anew since. It reports whether there were any.
func (f *File) Merge(other *File) (added bool) {
	for _, k := range other.Kinds {
		if have := f.Of(k.Kind); have == nil || k.Calibrated.After(have.Calibrated) {
			f.Add(k)
			added = true
		}
	}
	return added
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

// RoundsOf returns how many rounds a case needs, by its study and name.
func (k *Kind) RoundsOf(study, name string) int {
	p := &k.Question.Plan
	for i, c := range p.Cases {
		if c.Name == name && p.Studies[c.Study].Name == study {
			return k.Rounds[i]
		}
	}
	return plan.FirstRounds
}

// Shared returns the plan of the kind, with each comparison given to one of so many shards.
func (k *Kind) Shared(shards int) plan.Plan {
	p := k.Question.Plan
	plan.Share(&p, shards, k.RoundsOf)
	return p
}

// Shard returns the plan of an attempt at a shard: its comparisons, its part of the budget, and an
// order of rounds of its own, so that what is measured twice is not measured in the same order.
func (k *Kind) Shard(a plan.Attempt) (plan.Plan, error) {
	p := k.Shared(a.Shards)
	if groups := len(p.Groups()); a.Shards > groups {
		return p, hint.Usage(fmt.Sprintf("--shard i/%d at most", groups),
			"--shard %d/%d: the plan has %d comparisons, and none is split", a.Shard, a.Shards, groups)
	}
	times := plan.ShareTimes(&p, a.Shards, k.RoundsOf)
	p.Options.Shard, p.Options.Shards, p.Options.Draw = a.Shard, a.Shards, draw(a)
	p.Options.Budget = part(p.Options.Budget-p.Prepared, times, a.Shard)
	p.Prepared = 0
	return p, nil
}

// part returns the part of a budget that a shard has, by the expected times.
func part(budget time.Duration, times []time.Duration, shard int) time.Duration {
	all := time.Duration(0)
	for _, d := range times {
		all += d
	}
	if all == 0 {
		return budget
	}
	return max(time.Duration(float64(budget)*float64(times[shard-1])/float64(all)), time.Second).Round(time.Millisecond)
}

// draw returns the seed of the order of an attempt's rounds.
func draw(a plan.Attempt) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %d", a.Plan, a.Machine, a.Part(), a.Number))
	return binary.BigEndian.Uint64(sum[:]) >> 1 // JSON readers of other languages have 53 bits or a sign
}

// Make makes a plan of what is asked for, calibrated on this machine.
func Make(ctx context.Context, t *session.Tools, o session.Options) (*File, error) {
	q, rounds, err := calibrated(ctx, t, o)
	if err != nil {
		return nil, err
	}
	f := &File{Format: Format, Tool: q.Tool, Created: q.Created, Asked: askedOf(o, &q.Plan)}
	f.Add(kindOf(q, rounds))
	return f, nil
}

// AddKind adds the calibration of machines of this one's kind to a plan.
func AddKind(ctx context.Context, t *session.Tools, f *File, from session.Origin) (Kind, error) {
	o := f.Asked
	o.Origin = from
	if err := sameTool(f, from); err != nil {
		return Kind{}, err
	}
	q, rounds, err := calibrated(ctx, t, o)
	if err != nil {
		return Kind{}, err
	}
	k := kindOf(q, rounds)
	f.Add(k)
	return k, nil
}

// calibrated prepares a run of the whole plan, and returns its question with the rounds that each
// case needs. Its folder is removed: nothing is measured in it.
func calibrated(ctx context.Context, t *session.Tools, o session.Options) (*plan.Question, []int, error) {
	dir, err := os.MkdirTemp("", "memcost-plan-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a folder for the calibration: %w", err)
	}
	defer os.RemoveAll(dir)
	o.Results = dir
	r, err := session.Begin(ctx, t, o)
	if r != nil {
		defer r.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	if n := len(r.Broken); n > 0 {
		return nil, nil, hint.With("leave it out of the plan",
			fmt.Errorf("planning: what was asked for cannot be had: %s", r.Broken[0]))
	}
	q := r.Question
	var rounds []int
	for _, c := range q.Plan.Cases {
		rounds = append(rounds, r.Need.Of(q.Plan.Studies[c.Study].Name, c.Name))
	}
	return q, rounds, nil
}

func kindOf(q *plan.Question, rounds []int) Kind {
	m := q.Machine
	kept := *q
	kept.Command, kept.Certificate = nil, nil
	return Kind{Kind: m.Kind(), Machine: fmt.Sprintf("%s, %d CPUs, %s/%s", m.CPUModel, m.CPUsOnline, m.OS,
		m.Arch), Calibrated: q.Created, Question: &kept, Rounds: rounds}
}

// askedOf is what was asked for, with what another machine would choose otherwise: the seed, and the
// versions of Go.
func askedOf(o session.Options, p *plan.Plan) session.Options {
	var versions []string
	for _, a := range p.Sides {
		if v, ok := strings.CutPrefix(a.Toolchain, "go"); ok && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	o.Go = cmp.Or(strings.Join(versions, ","), o.Go)
	o.Profile, o.Seed = p.Options.Profile, &p.Options.Seed
	return o
}

// sameTool refuses a plan of another version of memcost: what it measures and how may differ.
func sameTool(f *File, here session.Origin) error {
	if tool := "memcost " + here.Version; f.Tool != tool {
		return hint.With("use that version, or make a new plan with this one",
			fmt.Errorf("the plan %s was made by %s, and this is %s", f.Hash, f.Tool, tool))
	}
	return nil
}

// here returns this machine among others.
func here() (machine.Fingerprint, machine.Place, error) {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return fp, machine.Place{}, fmt.Errorf("reading what this machine is: %w", err)
	}
	at, err := machine.PlaceOf("", fp)
	if err != nil {
		err = hint.With("systemd-machine-id-setup makes one; for a container mount that of its host: "+
			"-v /etc/machine-id:/etc/machine-id:ro",
			fmt.Errorf("telling this machine from others of its kind: %w", err))
	}
	return fp, at, err
}

// now is the time as run.json has it.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// lateBy is how many times as long as expected an attempt may take before it is taken for lost.
const lateBy = 2

// Limit returns how long an attempt at a shard of a plan may take on any of its kinds: after that it
// counts as lost.
func Limit(f *File, shards int) (time.Duration, error) {
	longest := time.Duration(0)
	for i := range f.Kinds {
		for shard := 1; shard <= shards; shard++ {
			p, err := f.Kinds[i].Shard(plan.Attempt{Shard: shard, Shards: shards})
			if err != nil {
				return 0, err
			}
			longest = max(longest, p.Options.Budget)
		}
	}
	return lateBy * (longest + building), nil
}

// Options say which part of a plan is measured, and where it goes.
type Options struct {
	Origin        session.Origin
	Plan          *File
	File          string // where Plan was read
	Shard, Shards int
	Number        *int         // of the attempt; nil: the next that is free
	Results       string       // the folder in which the run folder is made
	To            *place.Place // nil: nowhere
	Job           string       // the task of a submission that begins it
	Note          func(string)
}
