package session

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"os"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/method/series"
)

// keptOutput is how much is kept of the end of what a command prints, for the log of a failure.
const keptOutput = 16 << 10

// launch runs the process of a sample. What it prints is read, hashed and dropped.
func (r *CommandRun) launch(ctx context.Context, cmd proc.Cmd) (proc.Result, []benchfmt.Value, error) {
	if name := r.Question.Comparison.Stdin; name != "" {
		f, err := os.Open(name)
		if err != nil {
			return proc.Result{}, nil, hint.With("put the file back", err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	if r.buffer == nil {
		r.buffer = make([]byte, 64<<10)
	}
	if r.load != nil {
		return r.serve(ctx, cmd)
	}
	out := newPrinted(r.buffer)
	cmd.ReadStdout, cmd.Limit = out.read, keptOutput
	res, err := r.launcher.Run(ctx, cmd)
	r.floor = max(r.floor, res.Usage.MaxRSSFloor)
	res.Stdout, res.Usage.MaxRSSFloor = out.end, r.floor // the same in all rounds, as far as can be
	if err == nil {
		res, err = asExpected(r.Question.Comparison.Alloc, res)
	}
	return res, out.values(), err
}

// prepare runs the command that comes before each sample.
func (r *CommandRun) prepare(ctx context.Context) error {
	res, err := r.Runner.Run(ctx, r.prepared)
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

func newPrinted(buffer []byte) *printed { return &printed{hash: sha256.New(), buffer: buffer} }

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

// dropped reads what nobody needs.
func dropped(r io.Reader) { _, _ = io.Copy(io.Discard, r) }

// values returns the figures of a sample: 52 bits of a hash are exact in a floating-point number.
func (x *printed) values() []benchfmt.Value {
	sum := x.hash.Sum(nil)
	return []benchfmt.Value{{Value: float64(x.size), Unit: series.UnitOutput},
		{Value: float64(binary.BigEndian.Uint64(sum) >> 12), Unit: series.UnitOutputHash}}
}

// serve is launch for a server.
func (r *CommandRun) serve(ctx context.Context, cmd proc.Cmd) (proc.Result, []benchfmt.Value, error) {
	out := newPrinted(r.buffer)
	cmd.ReadStdout, cmd.Limit = dropped, keptOutput
	res, err := r.load.Run(ctx, r.launcher, r.Runner, cmd, func(load proc.Result) { out.take(load.Stdout) })
	r.floor = max(r.floor, res.Usage.MaxRSSFloor)
	res.Usage.MaxRSSFloor = r.floor
	if err == nil {
		res, err = asExpected(r.Question.Comparison.Alloc, res)
	}
	return res, out.values(), err
}
