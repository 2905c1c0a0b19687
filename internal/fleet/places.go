package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/store"
)

// IsPlace reports whether an argument is the URL of a bucket, or a folder that holds plans or is that
// of one.
func IsPlace(arg string) bool {
	if place.IsURL(arg) {
		return true
	}
	if store.IsRun(arg) {
		return false
	}
	if found, _ := filepath.Glob(filepath.Join(arg, "*", Name)); len(found) > 0 {
		return true
	}
	data, err := foreign.Read(arg, Name, foreign.Document)
	if err != nil {
		return false
	}
	f, err := Read(arg, data)
	abs, errAbs := filepath.Abs(arg)
	return err == nil && errAbs == nil && filepath.Base(abs) == f.Hash
}

// OpenPlans opens the place that an argument names, and returns the plans in it, or the one that PLACE/HASH
// means.
func OpenPlans(ctx context.Context, arg string) (at *place.Place, plans []string, err error) {
	open := func(name string) error {
		if at, err = place.Open(ctx, name, false); errors.Is(err, place.ErrNone) {
			return hint.With("memcost run --plan plan.json --shard 1/4 --to "+arg+" makes it", err)
		}
		if err == nil {
			plans, err = Plans(ctx, at)
		}
		return err
	}
	if err := open(arg); err != nil || len(plans) > 0 {
		return at, plans, err
	}
	parent, hash := split(arg)
	if err := open(parent); err != nil {
		return nil, nil, err
	}
	if !slices.Contains(plans, hash) {
		return nil, nil, NoPlan(at)
	}
	return at, []string{hash}, nil
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
	parent, hash = place.Scheme+path.Dir(strings.TrimPrefix(url, place.Scheme)), path.Base(url)
	if has {
		parent += "?" + query
	}
	return parent, hash
}

// ReadFile reads the plan file of a name: a file, or s3://BUCKET/PREFIX/PLAN/plan.json.
func ReadFile(ctx context.Context, name string) (*File, error) {
	if !place.IsURL(name) {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, hint.With("memcost plan STUDY -o "+name+" writes one", fmt.Errorf("reading the plan: %w", err))
		}
		return Read(name, data)
	}
	folder, file := split(name)
	if file != Name {
		return nil, hint.Usage(place.Scheme+"BUCKET/PREFIX/PLAN/"+Name, "--plan %s: not a plan file in a place", name)
	}
	at, err := place.Open(ctx, folder, false)
	if err != nil {
		return nil, err
	}
	data, err := at.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	return Read(name, data)
}

// Statuses returns those of all plans of a place, or of the one that is named.
func Statuses(ctx context.Context, arg string, now time.Time) (out []*Status, err error) {
	at, plans, err := OpenPlans(ctx, arg)
	if err != nil {
		return nil, err
	}
	for _, hash := range plans {
		s, err := StatusOf(ctx, at, hash, now)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Join makes run folders, below dir, of the places that arguments name, each of which has to mean one plan: of a plan
// in several places the shards are joined. It returns the folders and the other arguments behind them.
func Join(ctx context.Context, args []string, dir string, note func(string)) ([]string, error) {
	var runs, hashes []string
	places := map[string][]*place.Place{} // by the hash of the plan
	for _, arg := range args {
		if !IsPlace(arg) {
			runs = append(runs, arg)
			continue
		}
		at, plans, err := OpenPlans(ctx, arg)
		if err != nil {
			return nil, err
		}
		if len(plans) > 1 { // shards of different plans are never joined
			return nil, hint.Usage("name one of them, or each: memcost report "+at.Below(plans[0]),
				"the place %s holds %d plans, whose shards do not belong together: %s", at.Name, len(plans),
				strings.Join(plans, ", "))
		}
		if len(places[plans[0]]) == 0 {
			hashes = append(hashes, plans[0])
		}
		places[plans[0]] = append(places[plans[0]], at)
	}
	var folders []string
	for i, hash := range hashes {
		more, err := Collect(ctx, places[hash], hash, filepath.Join(dir, fmt.Sprint(i)), note)
		if err != nil {
			return nil, err
		}
		folders = append(folders, more...)
	}
	return append(folders, runs...), nil
}
