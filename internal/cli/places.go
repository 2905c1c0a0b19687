package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/fleet"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/store"
)

// A planAt is a plan in a place.
type planAt struct {
	place *place.Place
	hash  string
}

// Join replaces the places among the arguments of memcost report by run folders in which their shards
// are joined, and reports whether there were any. done removes the folders.
func Join(ctx context.Context, a *App, args []string) (runs []string, joined bool, done func(), err error) {
	done = func() {}
	var places []planAt
	defer func() {
		for _, p := range places {
			p.place.Close()
		}
	}()
	for _, arg := range args {
		if !IsPlace(arg) {
			runs = append(runs, arg)
			continue
		}
		p, err := open(ctx, arg)
		if err != nil {
			return nil, false, done, err
		}
		places = append(places, p)
	}
	if len(places) == 0 {
		return args, false, done, nil
	}
	dir, err := os.MkdirTemp("", "memcost-joined-")
	if err != nil {
		return nil, false, done, fmt.Errorf("making a folder for the joined shards: %w", err)
	}
	done = func() { os.RemoveAll(dir) }
	note := func(s string) { fmt.Fprintln(a.Stderr, s) }
	var folders []string
	for i, hash := range hashes(places) {
		var at []*place.Place
		for _, p := range places {
			if p.hash == hash {
				at = append(at, p.place)
			}
		}
		more, err := fleet.Collect(ctx, at, hash, filepath.Join(dir, fmt.Sprint(i)), note)
		if err != nil {
			done()
			return nil, false, func() {}, err
		}
		folders = append(folders, more...)
	}
	return append(folders, runs...), true, done, nil
}

func hashes(places []planAt) []string {
	var out []string
	for _, p := range places {
		if !slices.Contains(out, p.hash) {
			out = append(out, p.hash)
		}
	}
	return out
}

// IsPlace reports whether an argument is the URL of a bucket, or a folder that holds plans or is that
// of one.
func IsPlace(arg string) bool {
	if place.IsURL(arg) {
		return true
	}
	if store.IsRun(arg) {
		return false
	}
	found, _ := filepath.Glob(filepath.Join(arg, "*", fleet.Name))
	return len(found) > 0 || isPlanFolder(arg)
}

func isPlanFolder(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, fleet.Name))
	if err != nil {
		return false
	}
	f, err := fleet.Read(dir, data)
	abs, errAbs := filepath.Abs(dir)
	return err == nil && errAbs == nil && filepath.Base(abs) == f.Hash
}

// Plans opens the place that an argument names, and returns the plans in it, or the one that PLACE/HASH
// means. The caller closes the place.
func Plans(ctx context.Context, arg string) (*place.Place, []string, error) {
	at, err := place.Open(ctx, arg, false)
	if err != nil {
		return nil, nil, noPlace(arg, err)
	}
	plans, err := fleet.Plans(ctx, at)
	if err == nil && len(plans) > 0 {
		return at, plans, nil
	}
	at.Close()
	if err != nil {
		return nil, nil, err
	}
	one, err := open(ctx, arg)
	if err != nil {
		return nil, nil, err
	}
	return one.place, []string{one.hash}, nil
}

// open finds the plan that an argument means: PLACE/HASH, or PLACE where it has one plan.
func open(ctx context.Context, arg string) (planAt, error) {
	at, err := place.Open(ctx, arg, false)
	if err != nil {
		return planAt{}, noPlace(arg, err)
	}
	plans, err := fleet.Plans(ctx, at)
	if err == nil && len(plans) == 1 {
		return planAt{at, plans[0]}, nil
	}
	at.Close()
	if err != nil {
		return planAt{}, err
	}
	if len(plans) > 1 {
		return planAt{}, severalPlans(at, plans)
	}
	parent, hash := split(arg)
	if at, err = place.Open(ctx, parent, false); err != nil {
		return planAt{}, noPlace(arg, err)
	}
	if plans, err = fleet.Plans(ctx, at); err == nil && slices.Contains(plans, hash) {
		return planAt{at, hash}, nil
	}
	at.Close()
	if err != nil {
		return planAt{}, err
	}
	return planAt{}, fleet.NoPlan(at)
}

// split parts PLACE/HASH.
func split(arg string) (parent, hash string) {
	if !place.IsURL(arg) {
		abs, err := filepath.Abs(arg)
		if err != nil {
			abs = arg
		}
		return filepath.Dir(abs), filepath.Base(abs)
	}
	url, query, has := strings.Cut(arg, "?")
	url = strings.TrimSuffix(url, "/")
	parent, hash = path.Dir(strings.TrimPrefix(url, place.Scheme)), path.Base(url)
	if parent = place.Scheme + parent; has {
		parent += "?" + query
	}
	return parent, hash
}

func noPlace(arg string, err error) error {
	if errors.Is(err, place.ErrNone) {
		return hint.With("memcost run --plan plan.json --shard 1/4 --to "+arg+" makes it", err)
	}
	return err
}

// severalPlans is the error of a place in which one plan has to be named: shards of different plans
// are never joined.
func severalPlans(at *place.Place, plans []string) error {
	return hint.Usage("name one of them, or each: memcost report "+at.Below(plans[0]),
		"the place %s holds %d plans, whose shards do not belong together: %s", at.Name, len(plans),
		strings.Join(plans, ", "))
}
