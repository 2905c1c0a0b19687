package proc

import (
	"io"
	"os/exec"
)

// process is one that runs.
type process struct {
	*exec.Cmd
	group          *group
	stopper        stopper
	stdout, stderr *clip
	streams        [2]*stream
}

// start starts it, with what reads its output and feeds its input.
func (p *process) start(c Cmd) (err error) {
	p.stdout, p.stderr = newClip(c.Limit), newClip(c.Limit)
	defer func() {
		if err != nil {
			p.streams[0].drop()
			p.streams[1].drop()
		}
	}()
	if p.Stdout, p.streams[0], err = output(c.ReadStdout, p.stdout); err != nil {
		return err
	}
	if p.Stderr, p.streams[1], err = output(c.ReadStderr, p.stderr); err != nil {
		return err
	}
	feed, err := input(p.Cmd, c.Stdin)
	if err != nil {
		return err
	}
	if err = p.Cmd.Start(); err != nil {
		return err
	}
	p.group.started()
	p.streams[0].start()
	p.streams[1].start()
	feed()
	return nil
}

// pipes makes pipes for both output streams.
func (p *process) pipes(c Cmd) (err error) {
	kept := func(read func(io.Reader), into *clip) func(io.Reader) {
		if read == nil {
			return func(r io.Reader) { into.ReadFrom(r) }
		}
		return read
	}
	if _, p.streams[0], err = output(kept(c.ReadStdout, p.stdout), nil); err != nil {
		return err
	}
	if _, p.streams[1], err = output(kept(c.ReadStderr, p.stderr), nil); err != nil {
		p.streams[0].drop()
	}
	return err
}

// finishStreams waits for the readers.
func (p *process) finishStreams() {
	p.streams[0].finish()
	p.streams[1].finish()
}

// finish waits for the readers. Where the group is a Windows job, closing the job ends
// the processes that may still hold a stream open.
func (p *process) finish() {
	p.group.close()
	p.finishStreams()
}
