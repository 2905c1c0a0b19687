package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/hint"
)

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
	out, err = r.run(ctx, call{what: "reading the commit " + hash,
		args: []string{"log", "-1", "--format=%cI%n%s", hash, "--"}})
	if err != nil {
		return Commit{}, err
	}
	date, subject, _ := strings.Cut(strings.TrimSpace(out), "\n")
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return Commit{}, fmt.Errorf("reading the date of the commit %s: %w", hash, err)
	}
	return Commit{Hash: hash, Subject: subject, Date: at.UTC()}, nil
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
