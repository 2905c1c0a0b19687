package fleet

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

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
	o := optionsOf(f.Asked)
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
		rounds = append(rounds, r.Need.Of(q.Plan.Suites[c.Suite].Name, c.Name))
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
func askedOf(o session.Options, p *plan.Plan) Asked {
	var versions []string
	for _, a := range p.Arms {
		if v, ok := strings.CutPrefix(a.Toolchain, "go"); ok && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	a := Asked{Args: o.Args, Go: strings.Join(versions, ","), Vary: o.Vary, Only: o.Only, Tags: o.Tags,
		Label: o.Label, Claims: o.Claims, Profile: p.Options.Profile, Bench: o.Bench, CPU: o.CPU, Load: o.Load,
		Seed: p.Options.Seed, Rounds: o.Rounds, Precision: o.Precision, Budget: o.Budget, Sample: o.Sample,
		Timeout: o.Timeout, Alpha: o.Alpha, Layouts: o.Layouts, Slices: o.Slices, StopWhenDecided: o.StopWhenDecided,
		NoGuards: o.NoGuards}
	if a.Go == "" {
		a.Go = o.Go
	}
	return a
}

// optionsOf is the inverse of askedOf.
func optionsOf(a Asked) session.Options {
	seed := a.Seed
	return session.Options{Args: a.Args, Go: a.Go, Vary: a.Vary, Only: a.Only, Tags: a.Tags, Label: a.Label,
		Claims: a.Claims, Profile: a.Profile, Bench: a.Bench, CPU: a.CPU, Load: a.Load, Seed: &seed, Rounds: a.Rounds,
		Precision: a.Precision, Budget: a.Budget, Sample: a.Sample, Timeout: a.Timeout, Alpha: a.Alpha,
		Layouts: a.Layouts, Slices: a.Slices, StopWhenDecided: a.StopWhenDecided, NoGuards: a.NoGuards}
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
