package cli

import (
	"context"
	"fmt"

	"memcost/internal/machine"
)

// Alone keeps other measurements away from this machine until release is called. Where one is under
// way, it says so and goes on: an interactive run is not held up by what another user left running,
// and its report names the load.
func (a *App) Alone(p *Progress) (release func()) {
	l, err := machine.Try()
	switch {
	case err != nil:
		p.Note(fmt.Sprintf("warning: whether memcost measures here already is not known: %v", err))
	case l == nil:
		p.Note("warning: another memcost measures on this machine (" + machine.Path() +
			" is locked): the figures of both suffer")
	}
	return l.Release
}

// AloneOrWait is Alone for an attempt at a shard, which nobody waits for at the terminal: it begins
// when the other measurement has ended.
func (a *App) AloneOrWait(ctx context.Context, p *Progress) (release func(), err error) {
	l, err := machine.Wait(ctx, func() {
		p.Note("another memcost measures on this machine (" + machine.Path() + " is locked): waiting for its end")
	})
	return l.Release, err
}
