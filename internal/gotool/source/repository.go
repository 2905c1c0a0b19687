// This part of the package reads the user's git repository: what a revision is, whether the files
// differ from it, and its files in a folder of their own. Nothing in it writes to the
// repository: the index of a checkout is a private one, and hooks do not run.

package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// A Commit is what a revision names.
type Commit struct {
	Hash    string // in full
	Subject string // first line of its message
	Date    time.Time
}

// Resolve finds the commit that a revision names.
func (r *Repository) Resolve(ctx context.Context, revision string) (Commit, error) {
	if strings.HasPrefix(revision, "-") {
		return Commit{}, hint.Usage("", "%q is no revision", revision)
	}
	out, err := r.run(ctx, call{what: "looking for the revision " + revision,
		args: []string{"rev-parse", "--verify", "--quiet", revision + "^{commit}"}})
	if err != nil {
		if ctx.Err() != nil {
			return Commit{}, err
		}
		return Commit{}, r.unknown(ctx, revision)
	}
	hash := strings.TrimSpace(out)
	steps, err := r.log(ctx, "reading the commit "+hash, "-1", hash)
	if err != nil {
		return Commit{}, err
	}
	return steps[0].Commit, nil
}

// log returns the commits that git log lists, with the parents of each.
func (r *Repository) log(ctx context.Context, what string, args ...string) ([]Step, error) {
	out, err := r.run(ctx, call{what: what,
		args: slices.Concat([]string{"log", "--format=%H%x00%P%x00%cI%x00%s"}, args, []string{"--"})})
	if err != nil {
		return nil, err
	}
	var steps []Step
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 4)
		if len(fields) < 4 {
			return nil, fmt.Errorf("%s: git says %q", what, line)
		}
		at, err := time.Parse(time.RFC3339, fields[2])
		if err != nil {
			return nil, fmt.Errorf("reading the date of the commit %s: %w", fields[0], err)
		}
		parent, others, _ := strings.Cut(fields[1], " ")
		steps = append(steps, Step{Commit{Hash: fields[0], Subject: fields[3], Date: at.UTC()}, others != "", parent})
	}
	return steps, nil
}

// unknown returns the error of a revision that there is not.
func (r *Repository) unknown(ctx context.Context, revision string) error {
	if out, err := r.run(ctx, call{args: []string{"rev-parse", "--is-shallow-repository"}}); err == nil &&
		strings.TrimSpace(out) == "true" {
		return hint.Usage("get the commits that are missing: git fetch --unshallow (in GitHub Actions: fetch-depth: 0)",
			"there is no revision %q in %s, which is a shallow clone", revision, r.Root)
	}
	advice := "git log --oneline lists commits, git branch -a and git tag name others"
	base, _, _ := strings.Cut(revision, "~")
	base, _, _ = strings.Cut(base, "^")
	if near := hint.Nearest(base, r.Names(ctx)); near != "" && near != base {
		advice = "did you mean " + near + "? " + advice
	}
	return hint.Usage(advice, "there is no revision %q in %s", revision, r.Root)
}

// Names returns the names of branches and tags, none where they cannot be read.
func (r *Repository) Names(ctx context.Context) []string {
	out, err := r.run(ctx, call{args: []string{"for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags",
		"refs/remotes"}})
	if err != nil {
		return nil
	}
	return append(strings.Fields(out), "HEAD")
}

// Tracks reports whether git knows a file of the work tree.
func (r *Repository) Tracks(ctx context.Context, file string) bool {
	_, err := r.run(ctx, call{args: []string{"ls-files", "--error-unmatch", "--", file}})
	return err == nil
}

// sources are the endings of the files that a Go build reads.
var sources = []string{".go", ".s", ".S", ".c", ".h", ".cc", ".cpp", ".hh", ".hpp", ".m", ".syso"}

// Modified returns a hash of what differs from the last commit in the work tree, "" where
// nothing does. Of the files that git does not know those count that a Go build or a test may
// read. touched are submodules with changes of their own.
func (r *Repository) Modified(ctx context.Context) (hash string, touched []string, err error) {
	out, err := r.run(ctx, call{what: "asking git what differs from the last commit",
		args: []string{"status", "--porcelain=v1", "-z", "--untracked-files=all"}})
	if err != nil {
		return "", nil, err
	}
	h, any := sha256.New(), false
	entries := strings.Split(out, "\x00")
	for i := 0; i < len(entries); i++ {
		if len(entries[i]) < 4 {
			continue
		}
		state, name := entries[i][:2], entries[i][3:]
		if strings.ContainsAny(state, "RC") {
			i++ // where it was before
		}
		if state == "??" && !counts(name) {
			continue
		}
		any = true
		fmt.Fprintf(h, "%s %q\n", state, name)
		if isSubmodule := hashFile(h, filepath.Join(r.Root, filepath.FromSlash(name))); isSubmodule {
			touched = append(touched, name)
		}
	}
	if !any {
		return "", nil, nil
	}
	return hex.EncodeToString(h.Sum(nil)), touched, nil
}

// counts reports whether a file that git does not know may change what is measured.
func counts(name string) bool {
	return slices.Contains(sources, path.Ext(name)) || strings.Contains("/"+name, "/testdata/") ||
		slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, path.Base(name))
}

// hashFile adds a file's content, and reports whether it is a folder: that is a submodule.
func hashFile(h io.Writer, file string) bool {
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return false // removed
	case info.IsDir():
		return true
	case info.Mode()&os.ModeSymlink != 0:
		to, _ := os.Readlink(file)
		fmt.Fprintf(h, "-> %s\n", to)
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	io.Copy(h, f)
	return false
}

// A Step is a commit of a range.
type Step struct {
	Commit
	Merge bool // it has several parents

	parent string // the first, "" of the first commit of all
}

// Range returns the commits from the one that a range OLD..NEW begins with to the last one,
// oldest first, by first parents: what a branch was merged with is one step. It begins with
// OLD, or with the commit of that line from which NEW parted, if OLD is not on it.
func (r *Repository) Range(ctx context.Context, spec string) ([]Step, error) {
	const advice = "for example v1.2.0..HEAD, or main~100..main"
	from, to, ok := strings.Cut(spec, "..")
	if to == "" {
		to = "HEAD"
	}
	if !ok || from == "" || strings.HasPrefix(to, ".") {
		return nil, hint.Usage(advice, "%q is no range of commits", spec)
	}
	old, err := r.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	last, err := r.Resolve(ctx, to)
	if err != nil {
		return nil, err
	}
	steps, err := r.log(ctx, "listing the commits of "+spec, "--first-parent", "--reverse", old.Hash+".."+last.Hash)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		why := fmt.Sprintf("%s is not older than %s", from, to)
		if old.Hash == last.Hash {
			why = "both are the same commit"
		}
		return nil, hint.Usage(advice, "%s has no commits: %s", spec, why)
	}
	switch base := steps[0].parent; base {
	case "":
		return steps, nil
	case old.Hash:
	default:
		if old, err = r.Resolve(ctx, base); err != nil {
			return nil, err
		}
	}
	return append([]Step{{Commit: old}}, steps...), nil
}

// Checkout writes the files of a commit, and of its submodules, into a new folder. The folder
// is no work tree that the repository knows of, and has no .git. skipped are submodules that
// the user's own work tree does not have either: their folders are empty.
func (r *Repository) Checkout(ctx context.Context, commit, dir string) (skipped []string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for the files of %s: %w", commit, err)
	}
	index := dir + ".index"
	defer os.Remove(index)
	// The user's own settings of the repository count: line ends, filters, large files.
	env := []string{"GIT_DIR=" + r.dir, "GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + index}
	_, err = r.run(ctx, call{dir: dir, env: env, what: "checking out the commit " + commit,
		args: []string{"read-tree", "--no-sparse-checkout", "--reset", "-u", commit}})
	if err != nil {
		return nil, hint.With(adviceOn(err), err)
	}
	out, err := r.run(ctx, call{dir: dir, env: env, what: "listing the files of " + commit,
		args: []string{"ls-files", "-s", "-z"}})
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(out, "\x00") {
		// 160000 is the mode of a submodule: "160000 HASH 0\tPATH".
		about, name, _ := strings.Cut(line, "\t")
		words := strings.Fields(about)
		if len(words) < 2 || words[0] != "160000" {
			continue
		}
		more, err := r.submodule(ctx, name, words[1], dir)
		if err != nil {
			return nil, err
		}
		skipped = append(skipped, more...)
	}
	return skipped, nil
}

func adviceOn(err error) string {
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "no space left") || strings.Contains(text, "unable to write file"):
		return "the files of revisions lie in memcost's cache: make room, or name another place with MEMCOST_CACHE"
	case strings.Contains(text, "filter") || strings.Contains(text, "lfs"):
		return "a filter of the repository failed (large files are got by: git lfs fetch --all)"
	}
	return ""
}

// errAbsent says that the user's work tree does not have a submodule.
var errAbsent = errors.New("it is not here")

// submodule writes the files of a submodule below the folder of the checkout.
func (r *Repository) submodule(ctx context.Context, name, commit, dir string) (skipped []string, err error) {
	sub, err := r.openSubmodule(ctx, name, dir)
	if errors.Is(err, errAbsent) {
		return []string{name}, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := sub.run(ctx, call{dir: dir, what: "looking for a commit",
		env:  []string{"GIT_DIR=" + sub.dir, "GIT_WORK_TREE=" + dir}, // it has one of its own in its settings
		args: []string{"cat-file", "-e", commit + "^{commit}"}}); err != nil {
		return nil, hint.New("get it: git -C "+name+" fetch", "the submodule %s does not have the commit %s, which "+
			"the revision needs: %w", name, commit, err)
	}
	return sub.Checkout(ctx, commit, filepath.Join(dir, filepath.FromSlash(name)))
}

// openSubmodule finds the repository of a submodule: where the user's work tree has it, or
// where git keeps it while another commit is checked out.
func (r *Repository) openSubmodule(ctx context.Context, name, dir string) (*Repository, error) {
	sub := &Repository{runner: r.runner, git: r.git, env: r.env}
	at := filepath.Join(r.Root, filepath.FromSlash(name))
	if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
		out, err := r.run(ctx, call{dir: at, what: "looking for the repository of the submodule " + name,
			args: []string{"rev-parse", "--show-toplevel", "--absolute-git-dir"}})
		if err != nil {
			return nil, err
		}
		root, gitDir, _ := strings.Cut(strings.TrimSpace(out), "\n")
		sub.Root, sub.dir = filepath.FromSlash(root), filepath.FromSlash(gitDir)
		return sub, nil
	}
	out, err := r.run(ctx, call{dir: dir, what: "reading .gitmodules",
		args: []string{"config", "-f", filepath.Join(dir, ".gitmodules"), "-z", "--get-regexp",
			`^submodule\..*\.path$`}})
	if err != nil {
		return nil, errAbsent
	}
	for _, entry := range strings.Split(out, "\x00") {
		key, path, _ := strings.Cut(entry, "\n")
		if path != name {
			continue
		}
		id := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		common, err := r.run(ctx, call{dir: dir, env: []string{"GIT_DIR=" + r.dir}, what: "asking git for its folder",
			args: []string{"rev-parse", "--git-common-dir"}})
		if err != nil {
			return nil, err
		}
		gitDir := filepath.FromSlash(strings.TrimSpace(common))
		if !filepath.IsAbs(gitDir) {
			gitDir = filepath.Join(dir, gitDir)
		}
		sub.Root, sub.dir = at, filepath.Join(gitDir, "modules", filepath.FromSlash(id))
		if _, err := os.Stat(sub.dir); err == nil {
			return sub, nil
		}
	}
	return nil, errAbsent
}
