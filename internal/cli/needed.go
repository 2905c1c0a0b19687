package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// needed are the programs that a scheduler is started by, with the packages that have them.
var neededTools = map[string][]struct{ program, debian, fedora string }{
	onSlurm: {{"sbatch", "slurm-client", "slurm"}},
	onSSH: {{"parallel", "parallel", "parallel"}, {"ssh", "openssh-client", "openssh-clients"},
		{"rsync", "rsync", "rsync"}},
}

// installed returns an error if what starts the jobs is not there.
func (s *submission) installed(ctx context.Context) error {
	for _, x := range neededTools[s.scheduler()] {
		if _, err := proc.LookPath(x.program, os.Environ()); err != nil {
			return hint.With("apt-get install "+x.debian+", or dnf install "+x.fedora+"; or submit where it is",
				fmt.Errorf("--on %s: %s is not installed here", s.scheduler(), x.program))
		}
	}
	if s.scheduler() != onSSH {
		return nil
	}
	res, err := s.runner.Run(ctx, proc.Cmd{Path: "parallel", Args: []string{"--version"}})
	if err != nil {
		return fmt.Errorf("asking parallel for its version: %w", err)
	}
	if !bytes.Contains(res.Stdout, []byte("GNU")) { // moreutils has another program of this name
		return hint.With("apt-get install parallel, in place of that of moreutils",
			errors.New("--on ssh: the parallel that is installed here is not GNU parallel"))
	}
	return nil
}
