package source

import (
	"context"
	"fmt"
	"strings"
	"time"

	"memcost/internal/base/hint"
)

// A Step is a commit of a range.
type Step struct {
	Commit
	Merge bool // it has several parents
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
	out, err := r.run(ctx, call{what: "listing the commits of " + spec, args: []string{"log", "--first-parent",
		"--reverse", "--format=%H%x00%P%x00%cI%x00%s", old.Hash + ".." + last.Hash, "--"}})
	if err != nil {
		return nil, err
	}
	var steps []Step
	base := ""
	for line := range strings.Lines(out) {
		hash, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		parents, rest, _ := strings.Cut(rest, "\x00")
		date, subject, _ := strings.Cut(rest, "\x00")
		at, err := time.Parse(time.RFC3339, date)
		if err != nil {
			return nil, fmt.Errorf("reading the date of the commit %s: %w", hash, err)
		}
		all := strings.Fields(parents)
		if len(steps) == 0 && len(all) > 0 {
			base = all[0]
		}
		steps = append(steps, Step{Commit{Hash: hash, Subject: subject, Date: at.UTC()}, len(all) > 1})
	}
	if len(steps) == 0 {
		why := fmt.Sprintf("%s is not older than %s", from, to)
		if old.Hash == last.Hash {
			why = "both are the same commit"
		}
		return nil, hint.Usage(advice, "%s has no commits: %s", spec, why)
	}
	if base == "" { // the first commit of all has no parent
		return steps, nil
	}
	if base != old.Hash {
		if old, err = r.Resolve(ctx, base); err != nil {
			return nil, err
		}
	}
	return append([]Step{{Commit: old}}, steps...), nil
}
