package session

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/method/series"
)

// processes are what runs on the sides that need no building: command lines, programs of benchmarks,
// and the study malloc under settings.
type processes struct {
	*record
	launch
	targets []sample.Target // by side
	before  proc.Cmd        // what runs before each sample; its path is "" for nothing
	floor   int64           // below which the peak of a process's memory is not known
}

// syncEvery is how often the samples of commands have to be on disk: waiting for that takes longer
// than a short command.
const syncEvery = time.Second

// IsReady reports whether a question is that of a comparison of sides that need no building.
func IsReady(q *plan.Question) bool { return readySides(q) != nil }

// chooseReady begins a comparison of sides that need no building.
func (s *Session) chooseReady() *plan.Plan {
	o := s.options
	s.Question.Comparison = &plan.Comparison{TestArgs: o.TestArgs, Stdin: o.Stdin, Prepare: o.Prepare, Alloc: o.Alloc}
	s.Question.Plan.Sieve = true
	return &s.Question.Plan
}

// openReady makes the executor of sides whose targets are found, which have to be those that the session
// was begun with.
func (s *Session) openReady(r *processes) error {
	q := s.Question
	for i, b := range s.recorded {
		if i >= len(q.Builds) || q.Builds[i].Hash != b.Hash {
			return hint.With("put it back as it was, or begin a new comparison",
				fmt.Errorf("%s is not the program that run folder %s was begun with", q.Plan.Sides[b.Side].Name,
					s.Folder.Dir))
		}
	}
	if s.resumed {
		q.Builds = s.recorded
	}
	var err error
	if r.load, err = LoadOf(q.Comparison.Alloc, q.Dir, q.Plan.Options.Timeout); err != nil {
		return err
	}
	s.ready, r.stdin = r, q.Comparison.Stdin
	if h := q.OfHeld(); h != nil && s.Folder != nil {
		if r.held, err = newHold(*h, r.load == nil, s.Folder); err != nil {
			return err
		}
		s.atClose = append(s.atClose, r.held.close)
	}
	s.makeExecutor(func(_ plan.Case, side, _ int) (sample.Target, error) { return r.targets[side], nil })
	if r.launcher != nil {
		s.executor.Launch = r.take
	}
	if text := q.Comparison.Prepare; text != "" {
		t, _, err := targetOf(text, q.Dir, os.Environ())
		if err != nil {
			return fmt.Errorf("--prepare: %w", err)
		}
		r.before = proc.Cmd{Path: t.Path, Args: t.Args, Dir: t.Dir, Env: t.Env, Timeout: q.Plan.Options.Timeout}
		s.executor.Before = r.runBefore
	}
	return nil
}

// mostDoubled is the sample from which on it would take too long to take it twice in a round.
const mostDoubled = 2 * time.Second

// mostPlain is mostDoubled of a program that is looked at: its second copy has no idle time.
const mostPlain = 10 * time.Second

// settleReady chooses the cases that are measured twice.
func (s *Session) settleReady(from int) {
	p := &s.Question.Plan
	p.Link(nil)
	h := s.Question.OfHeld()
	if c := p.Cases[0]; h != nil && from == 0 && h.Plain && c.Estimate < mostPlain.Seconds() {
		p.ChooseDoubles(doubles)
	} else if h == nil && from == 0 && c.Estimate*float64(c.N) < mostDoubled.Seconds() {
		p.ChooseDoubles(doubles)
	}
}

// keptOutput is how much is kept of the end of what a command prints, for the log of a failure.
const keptOutput = 16 << 10

// A launch is how programs are run whose output counts.
type launch struct {
	launcher *proc.Launcher // of command lines; nil where the peak of their memory does not matter
	load     *Load          // of a server; nil: the programs end by themselves
	held     *hold          // what looks at their memory over time; nil: nothing does
	stdin    string         // the file that each reads; "" is empty input
	buffer   []byte         // for what they print
}

// run runs a program, and returns what it printed, or its load did, which is read, hashed and dropped.
func (l *launch) run(ctx context.Context, r *proc.Runner, cmd proc.Cmd) (res proc.Result, out *printed, err error) {
	if l.stdin != "" {
		f, err := os.Open(l.stdin)
		if err != nil {
			return res, nil, hint.With("--stdin takes a file that the program reads", err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	if l.buffer == nil {
		l.buffer = make([]byte, 64<<10)
	}
	out = &printed{hash: sha256.New(), buffer: l.buffer}
	cmd.ReadStdout = out.read
	switch {
	case l.load != nil:
		cmd.ReadStdout = func(r io.Reader) { _, _ = io.Copy(io.Discard, r) }
		res, err = l.load.Run(ctx, l.launcher, r, cmd, l.held, func(load proc.Result) { out.take(load.Stdout) })
		err = l.held.done(&res, err)
	case l.held != nil:
		res, err = l.held.run(ctx, l.launcher, cmd)
		err = l.held.done(&res, err)
	case l.launcher != nil:
		res, err = l.launcher.Run(ctx, cmd)
	default:
		res, err = r.Run(ctx, cmd)
	}
	return res, out, err
}

// take runs the process of a sample. The second copy of a program whose memory is looked at is left alone, where that
// can be: the copies show what looking costs it.
func (r *processes) take(ctx context.Context, role plan.Role, cmd proc.Cmd) (proc.Result, []benchfmt.Value, error) {
	cmd.Limit = keptOutput
	if h := r.held; h != nil && role == plan.Double && h.Plain {
		r.held = nil
		defer func() { r.held = h }()
	}
	res, out, err := r.run(ctx, r.Runner, cmd)
	if out == nil {
		return res, nil, err
	}
	r.floor = max(r.floor, res.Usage.MaxRSSFloor)
	res.Usage.MaxRSSFloor = r.floor // the same in all rounds, as far as can be
	if r.load == nil {
		res.Stdout = out.end
	}
	if err == nil {
		res, err = asExpected(r.Question.Comparison.Alloc, res)
	}
	return res, append(out.values(), r.held.values()...), r.held.names(err)
}

// runBefore runs the command that comes before each sample.
func (r *processes) runBefore(ctx context.Context) error {
	res, err := r.Runner.Run(ctx, r.before)
	if err == nil {
		err = res.Err("--prepare " + r.Question.Comparison.Prepare)
	}
	if err != nil && ctx.Err() == nil {
		err = hint.With("it has to end with status 0 before each sample", err)
	}
	return err
}

// printed is what a command printed.
type printed struct {
	hash   hash.Hash
	size   int64
	end    []byte
	buffer []byte
}

func (x *printed) read(r io.Reader) {
	for {
		n, err := r.Read(x.buffer)
		x.take(x.buffer[:n])
		if err != nil {
			return
		}
	}
}

// take takes the next part of what is printed.
func (x *printed) take(got []byte) {
	x.hash.Write(got)
	x.size += int64(len(got))
	if len(got) > keptOutput {
		got = got[len(got)-keptOutput:]
	}
	if over := len(x.end) + len(got) - keptOutput; over > 0 {
		x.end = x.end[:copy(x.end, x.end[over:])]
	}
	x.end = append(x.end, got...)
}

// values returns the figures of a sample: 52 bits of a hash are exact in a floating-point number.
func (x *printed) values() []benchfmt.Value {
	sum := x.hash.Sum(nil)
	return []benchfmt.Value{{Value: float64(x.size), Unit: series.UnitOutput},
		{Value: float64(binary.BigEndian.Uint64(sum) >> 12), Unit: series.UnitOutputHash}}
}

// Lines says what would be measured: the sides, the benchmarks, and the commands of a round.
func (s *Session) Lines() []string {
	p := &s.Question.Plan
	var out []string
	for i, a := range p.Sides {
		out = append(out, fmt.Sprintf("config %-2d %s", i, a.Name))
	}
	if s.ready.before.Path != "" {
		out = append(out, "before each sample: "+s.ready.before.String())
	}
	for c, x := range p.Cases {
		if !p.Has(plan.Command) {
			out = append(out, fmt.Sprintf("benchmark %s", x.Name))
			p.Cases[c].N, p.Cases[c].Estimate = 0, 0 // not calibrated: the commands have a time
		}
		for i := range p.Sides {
			cmd := sample.Command(p, plan.Task{Case: c, Side: i, N: p.Cases[c].N}, s.ready.targets[i])
			out = append(out, cmd.String())
		}
	}
	return out
}
