// This part of the package gives each side of a comparison the folder in which its packages lie: the
// user's own one for the files as they are, a checkout of its own for each commit. Checkouts
// lie in memcost's cache and go with the comparison; those of a memcost that was killed are
// removed by the next one (package cache).

package source

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
)

// A Folder is where the packages of a side are found.
type Folder struct {
	Dir    string   // what the user's current folder is there
	Env    []string // for the go command: where the workspace is
	Source *plan.Source

	real, root string // the user's root of the repository, and where it lies for this side
}

// Pattern returns what a pattern of packages of the user's is there: an absolute path leads
// into the checkout.
func (f Folder) Pattern(p string) string {
	if !filepath.IsAbs(p) || f.root == "" {
		return p
	}
	if below, ok := strings.CutPrefix(p, f.real); ok && (below == "" || below[0] == filepath.Separator) {
		return f.root + below
	}
	return p
}

// A Place is where checkouts are made, and what runs git.
type SidePlace struct {
	Runner *proc.Runner
	Env    []string
	Cache  string // memcost's own folder
	Note   func(string)
	Step   func(string)
}

// A Set are the folders of the sides of a comparison.
type Set struct {
	place   SidePlace
	dir     string // the user's
	repo    *Repository
	failed  error // why there is no repository
	opened  bool
	folders map[string]Folder // by commit; "" is the work tree
	bases   []string          // of checkouts
	locks   []*flock.Flock
}

// New returns a set without folders, for the user's current folder.
func New(place SidePlace, dir string) *Set {
	if abs, err := filepath.Abs(place.Cache); err == nil {
		place.Cache = abs
	}
	return &Set{place: place, dir: dir, folders: map[string]Folder{}}
}

// open looks for the repository once. Sides without a revision do without it.
func (s *Set) open(ctx context.Context) (*Repository, error) {
	if !s.opened {
		s.opened = true
		s.repo, s.failed = Open(ctx, s.place.Runner, s.place.Env, s.dir)
	}
	return s.repo, s.failed
}

// WorkTree returns the user's own folder. Its source is nil where it is in no repository.
func (s *Set) WorkTree(ctx context.Context) Folder {
	if f, ok := s.folders[""]; ok {
		return f
	}
	f := Folder{Dir: s.dir, Source: here(ctx, s)}
	s.folders[""] = f
	return f
}

// here returns the state of the user's files, nil where it cannot be known.
func here(ctx context.Context, s *Set) *plan.Source {
	repo, err := s.open(ctx)
	if err != nil {
		return nil
	}
	out := &plan.Source{Revision: "."}
	if c, err := repo.Resolve(ctx, "HEAD"); err == nil { // else nothing is committed yet
		out.Commit, out.Subject, out.Date = c.Hash, c.Subject, c.Date
	}
	hash, touched, err := repo.Modified(ctx)
	if err != nil {
		return nil
	}
	out.Modified, out.State = hash != "" || out.Commit == "", hash
	if len(touched) > 0 {
		s.place.Note("note: the submodules " + strings.Join(touched, ", ") + " have changes of their own, which " +
			"belong to the work tree and to no commit")
	}
	return out
}

// longest bounds how long git may take to say what the user's files are, in a run that needs
// it for the record alone.
const longest = 5 * time.Second

// Here returns the state of the files in a folder, nil where it is in no repository, git is
// missing or takes long.
func Here(ctx context.Context, place SidePlace, dir string) *plan.Source {
	ctx, stop := context.WithTimeout(ctx, longest)
	defer stop()
	place.Note = func(string) {}
	out := New(place, dir).WorkTree(ctx).Source
	if out != nil {
		out.Revision = "" // nobody named it
	}
	return out
}

// Revision checks out what a revision names, and returns the folder that is the user's current
// one there.
func (s *Set) Revision(ctx context.Context, name string) (Folder, error) {
	repo, err := s.open(ctx)
	if err != nil {
		return Folder{}, hint.Usage("", "the side %s is no toolchain and no setting, so it is a revision: %w", name,
			err)
	}
	c, err := repo.Resolve(ctx, name)
	if err != nil {
		if go1 := "go" + name; version.IsValid(go1) && ctx.Err() == nil {
			err = hint.Usage("a toolchain is written "+go1, "%w", err)
		}
		return Folder{}, err
	}
	f, ok := s.folders[c.Hash]
	if !ok {
		s.place.Step("checking out " + name)
		if f, err = s.checkout(ctx, repo, c.Hash); err != nil {
			return Folder{}, fmt.Errorf("the side %s: %w", name, err)
		}
		s.folders[c.Hash] = f
	}
	f.Source = &plan.Source{Revision: name, Commit: c.Hash, Subject: c.Subject, Date: c.Date}
	return f, nil
}

// Again returns the folders of sides that were recorded, with the same files; an error where
// they have changed.
func (s *Set) Again(ctx context.Context, sides []plan.Side) (out []Folder, err error) {
	for _, a := range sides {
		f, err := s.again(ctx, a.Source)
		if err != nil {
			return nil, fmt.Errorf("the side %s: %w", a.Name, err)
		}
		out = append(out, f)
	}
	return out, nil
}

func (s *Set) again(ctx context.Context, was *plan.Source) (Folder, error) {
	if was == nil {
		return s.WorkTree(ctx), nil
	}
	if was.Revision != "" && was.Revision != "." {
		f, err := s.Revision(ctx, was.Commit)
		if err == nil {
			f.Source = was
		}
		return f, err
	}
	f := s.WorkTree(ctx)
	if now := f.Source; now == nil || now.Commit != was.Commit || now.State != was.State {
		return f, hint.New("put the files back as they were, or begin a new comparison",
			"the files of the work tree have changed since this comparison began")
	}
	return f, nil
}

// checkout makes the files of a commit. Their folder has the same path each time, so that the
// go command finds in its own cache what it has compiled before, and a comparison that is gone
// on with has the same binaries.
func (s *Set) checkout(ctx context.Context, repo *Repository, commit string) (Folder, error) {
	base, err := s.base(repo.Root, commit)
	if err != nil {
		return Folder{}, err
	}
	root := Place(base, repo.Root)
	skipped, err := repo.Checkout(ctx, commit, root)
	if err != nil {
		return Folder{}, err
	}
	if len(skipped) > 0 {
		s.place.Note("note: the submodules " + strings.Join(skipped, ", ") + " are not here, so their folders are " +
			"empty (git submodule update --init gets them)")
	}
	f := Folder{Dir: filepath.Join(root, repo.Prefix), real: repo.Root, root: root}
	work, asked := workspace(s.place.Env, filepath.Join(repo.Root, repo.Prefix))
	at, err := repo.LinkNeighbours(base, work, work != "" && repo.Tracks(ctx, work))
	if err != nil {
		return Folder{}, fmt.Errorf("linking what the modules name outside of the repository: %w", err)
	}
	if asked && at != "" {
		f.Env = []string{"GOWORK=" + at}
	}
	return f, nil
}

// workspace returns the go.work file that counts in a folder, and whether the environment
// names it.
func workspace(env []string, dir string) (file string, asked bool) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GOWORK="); ok && v != "" {
			if v == "off" {
				return "", false
			}
			return v, true
		}
	}
	for {
		file := filepath.Join(dir, "go.work")
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file, false
		}
		if filepath.Dir(dir) == dir {
			return "", false
		}
		dir = filepath.Dir(dir)
	}
}

// base makes the folder of a checkout, and locks it. One that a killed memcost left is
// emptied; beside one that another memcost uses, a second one is made.
func (s *Set) base(root, commit string) (string, error) {
	for i := range 8 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", root, commit, i))
		base := filepath.Join(s.place.Cache, fmt.Sprintf(".new-%020d", binary.BigEndian.Uint64(sum[:])))
		if err := os.MkdirAll(base, 0o700); err != nil {
			return "", fmt.Errorf("making a folder for the files of a revision: %w", err)
		}
		lock := flock.New(filepath.Join(base, ".lock"))
		if alone, err := lock.TryLock(); err != nil || !alone {
			lock.Close()
			continue
		}
		s.locks, s.bases = append(s.locks, lock), append(s.bases, base)
		files := filepath.Join(base, "files")
		if err := cache.Remove(files); err != nil {
			return "", err
		}
		return files, nil
	}
	return "", errors.New("others use all folders for the files of this revision now")
}

// Close removes the checkouts. With keep they stay until the next memcost begins.
func (s *Set) Close(keep bool) (err error) {
	for i, base := range s.bases {
		s.locks[i].Close()
		if !keep {
			err = errors.Join(err, cache.Remove(base))
		}
	}
	s.bases, s.locks = nil, nil
	return err
}

// Key tells the sides of a comparison apart that may have other packages and benchmarks: by
// their files, toolchain and build flags.
func Key(a plan.Side, f Folder) string { return fmt.Sprintf("%q %q %q", f.Dir, a.Toolchain, a.Flags) }

// Packages looks up the packages with benchmarks that each side has, by their import paths, and
// returns those of all sides together, too. broken is told of packages that do not load.
func Packages(ctx context.Context, b *toolchain.Builder, sides []plan.Side, folders []Folder, tcs []toolchain.Toolchain,
	patterns []string, broken func(string, ...any)) (bySide []map[string]toolchain.Package, all []toolchain.Package,
	err error) {
	known := map[string]map[string]toolchain.Package{}
	var unloaded error
	for i, a := range sides {
		key := Key(a, folders[i])
		if known[key] == nil {
			pkgs, err := packagesOf(ctx, b, tcs[i], a, folders[i], patterns)
			if err != nil {
				return nil, nil, &Error{Name: a.Name, Err: err}
			}
			known[key] = map[string]toolchain.Package{}
			for _, p := range pkgs {
				if p.Broken != "" {
					broken("%s on %s: %s", p.ImportPath, a.Name, p.Broken)
					unloaded = &Error{Name: a.Name, Err: hint.New("the packages must load on both sides", "%s: %s",
						p.ImportPath, p.Broken)}
					continue
				}
				known[key][p.ImportPath] = p
				if !slices.ContainsFunc(all, func(o toolchain.Package) bool { return o.ImportPath == p.ImportPath }) {
					all = append(all, p)
				}
			}
		}
		bySide = append(bySide, known[key])
	}
	if len(all) == 0 {
		return nil, nil, unloaded
	}
	return bySide, all, nil
}

// packagesOf lists the packages with benchmarks of one side, and those that do not load.
func packagesOf(ctx context.Context, b *toolchain.Builder, tc toolchain.Toolchain, a plan.Side, f Folder,
	patterns []string) ([]toolchain.Package, error) {
	if _, err := os.Stat(f.Dir); err != nil {
		return nil, nil // the commit does not have the folder
	}
	l := toolchain.Listing{Dir: f.Dir, Flags: ListFlags(a.Flags), Env: f.Env}
	for _, p := range patterns {
		l.Patterns = append(l.Patterns, f.Pattern(p))
	}
	pkgs, _, err := b.List(ctx, tc, l)
	return slices.DeleteFunc(pkgs, func(p toolchain.Package) bool {
		_, err := os.Stat(p.Dir)
		return len(p.Benchmarks) == 0 && (p.Broken == "" || p.Dir == "" || err != nil) // it is not there
	}), err
}

// ListFlags returns those of the build flags that say which files belong to a package.
func ListFlags(flags []string) []string {
	var out []string
	for i, f := range flags {
		name, _, whole := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !slices.Contains([]string{"tags", "mod", "modfile", "overlay"}, name) {
			continue
		}
		out = append(out, f)
		if !whole && i+1 < len(flags) { // "-tags", "x"
			out = append(out, flags[i+1])
		}
	}
	return out
}
