// This part of the package reads the user's git repository: what a revision is, whether the files
// differ from it, and its files in a folder of their own. Nothing in it writes to the
// repository: the index of a checkout is a private one, and hooks do not run.

package source

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// A Repository is that of a folder.
type Repository struct {
	Root   string // of the work tree, without links in its path
	Prefix string // of the folder below Root: "codec", or ""

	runner *proc.Runner
	git    string
	env    []string
	dir    string // git's own
}

// foreign are the variables of git that name another repository, index or work tree than
// those of the folder: git sets them for its hooks.
var foreign = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"}

// quiet are the settings with which git leaves the repository as it is.
var quiet = []string{"-c", "core.hooksPath=/dev/null", "-c", "core.splitIndex=false", "-c", "core.fsmonitor=false",
	"-c", "core.untrackedCache=false", "-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "maintenance.auto=0",
	"-c", "log.showSignature=false", "-c", "core.quotePath=false", "-c", "advice.detachedHead=false"}

// Open finds the repository of a folder. env is the environment of the processes.
func Open(ctx context.Context, runner *proc.Runner, env []string, dir string) (*Repository, error) {
	r := &Repository{runner: runner, dir: ""}
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !slices.Contains(foreign, name) {
			r.env = append(r.env, kv)
		}
	}
	r.env = append(r.env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	var err error
	if r.git, err = proc.LookPath("git", env); err != nil {
		return nil, hint.New("install git; toolchains (go1.25.4) and settings (GOGC=off) are compared without it",
			"revisions cannot be looked up: there is no git on PATH")
	}
	out, err := r.run(ctx, call{dir: dir, what: "looking for the git repository of " + dir,
		args: []string{"rev-parse", "--show-toplevel", "--absolute-git-dir", "--show-prefix"}})
	if err != nil {
		advice := "revisions are those of a git repository: run memcost in a folder of one"
		if strings.Contains(err.Error(), "safe.directory") {
			advice = "git does not trust a repository of another user: see git help config, safe.directory"
		}
		return nil, hint.With(advice, err)
	}
	lines := strings.Split(out, "\n")
	if len(lines) < 3 {
		return nil, fmt.Errorf("git says of %s: %q", dir, out)
	}
	r.Root, r.dir = filepath.FromSlash(lines[0]), filepath.FromSlash(lines[1])
	r.Prefix = filepath.FromSlash(strings.TrimSuffix(lines[2], "/"))
	return r, nil
}

// A call is a git command.
type call struct {
	dir  string // "": the root of the work tree
	what string // is done, for the error
	env  []string
	args []string
}

// run returns what git prints.
func (r *Repository) run(ctx context.Context, c call) (string, error) {
	if c.dir == "" {
		c.dir = r.Root
	}
	res, err := r.runner.Run(ctx, proc.Cmd{Path: r.git, Args: slices.Concat(quiet, c.args), Dir: c.dir,
		Env: slices.Concat(r.env, c.env), Limit: 256 << 20})
	if err != nil {
		return "", err
	}
	if err := res.Err(c.what); err != nil {
		return "", err
	}
	return string(res.Stdout), nil
}
