package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/plan"
)

// claimNumber gives an attempt its number, the one that was asked for or the next that is free here
// and in the place, and says in the place that it was begun. Of two processes that ask for one number
// at once, one gets it.
func claimNumber(ctx context.Context, o Options, a *plan.Attempt, b begun) error {
	taken, err := takenNumbers(ctx, o, *a)
	if err != nil {
		return err
	}
	for a.Number = 0; ; a.Number++ {
		if o.Number != nil {
			a.Number = *o.Number
		}
		dir, is := taken[a.Number]
		if !is {
			if err = writeBegun(ctx, o, *a, b); !errors.Is(err, place.ErrThere) {
				return err
			}
			dir = o.To.Name
		}
		if o.Number != nil {
			return hint.With(fmt.Sprintf("--attempt %d, or leave --attempt out for the next that is free",
				next(taken, a.Number)), fmt.Errorf("attempt %d at shard %d/%d was begun on this machine before: %s",
				a.Number, a.Shard, a.Shards, dir))
		}
	}
}

func next(taken map[int]string, number int) int {
	for {
		number++
		if _, is := taken[number]; !is {
			return number
		}
	}
}

func writeBegun(ctx context.Context, o Options, a plan.Attempt, b begun) error {
	if o.To == nil {
		return nil
	}
	b.Attempt = a
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("formatting %s: %w", begunFile, err)
	}
	return o.To.WriteNew(ctx, keyOf(a)+begunFile, append(data, '\n'))
}

// takenNumbers returns the numbers of the attempts at a shard on this machine, with where they are.
func takenNumbers(ctx context.Context, o Options, a plan.Attempt) (map[int]string, error) {
	taken := map[int]string{}
	for _, l := range localAttempts(o.Results, a.Plan, a.Machine) {
		if l.attempt.Part() == a.Part() {
			taken[l.attempt.Number] = l.dir
		}
	}
	if o.To == nil {
		return taken, nil
	}
	objects, err := o.To.List(ctx, a.Plan+"/"+a.Machine+"/"+a.Part()+"/")
	if err != nil {
		return nil, err
	}
	for _, x := range objects {
		if s, _, ok := slotOf(strings.TrimPrefix(x.Key, a.Plan+"/")); ok {
			taken[s.number] = o.To.Name
		}
	}
	return taken, nil
}
