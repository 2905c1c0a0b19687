package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
)

// A listed attempt is what a place has of one.
type listed struct {
	slot
	key   string // with the slash at its end
	begun *begun
	done  *done
	// written is when begun.json was, by the clock of the place.
	written time.Time
	files   map[string]int64 // below the attempt's folder: TOKEN/NAME
}

// A listing is a plan in a place, and the attempts at it.
type listing struct {
	plan      *File
	attempts  []listed
	submitted []given
	warnings  []string

	at   map[slot]int // of the attempts
	read []reading
}

// A reading is an object of an attempt that is to be read: of many at once, for each takes as long as the
// way to the place and back.
type reading struct {
	key string
	by  func() error
	err error
}

// atOnce is how many objects of a place are read at once.
const atOnce = 32

// Plans returns the hashes of the plans in a place.
func Plans(ctx context.Context, at *place.Place) ([]string, error) {
	folders, err := at.Folders(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range folders {
		if _, err := at.Read(ctx, f+"/"+Name); err == nil {
			out = append(out, f)
		} else if !errors.Is(err, place.ErrNone) {
			return nil, err
		}
	}
	return out, nil
}

// NoPlan is the error of a place without a plan.
func NoPlan(at *place.Place) error {
	return hint.New("memcost run --plan plan.json --shard 1/4 --to "+at.Name+" brings one there",
		"reading the place %s: there is no plan in it", at.Name)
}

// list reads what a place has of a plan.
func list(ctx context.Context, at *place.Place, hash string) (*listing, error) {
	data, err := at.Read(ctx, hash+"/"+Name)
	if err != nil {
		return nil, err
	}
	l := &listing{at: map[slot]int{}}
	if l.plan, err = Read(at.Name+" "+hash, data); err != nil {
		return nil, err
	}
	objects, err := at.List(ctx, hash+"/")
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		rest := strings.TrimPrefix(o.Key, hash+"/")
		if rest == Name {
			continue
		}
		if _, is := submissionOf(rest); is {
			if err := l.seeSubmission(ctx, at, o); err != nil {
				return nil, err
			}
			continue
		}
		s, name, ok := slotOf(rest)
		if !ok {
			l.warn("%s is no part of an attempt: it is passed over", o.Key)
			continue
		}
		l.see(ctx, at, s, name, o)
	}
	if err := l.readAll(); err != nil {
		return nil, err
	}
	l.checkPlans()
	return l, nil
}

func (l *listing) warn(format string, args ...any) {
	l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
}

// seeSubmission takes what was submitted.
func (l *listing) seeSubmission(ctx context.Context, at *place.Place, o place.Object) error {
	g, err := readGiven(ctx, at, o)
	if err == nil {
		l.submitted = append(l.submitted, g)
	}
	return l.damaged(o.Key, err)
}

// see takes one object of an attempt. What is in it is read later.
func (l *listing) see(ctx context.Context, at *place.Place, s slot, name string, o place.Object) {
	i, known := l.at[s]
	if !known {
		i = len(l.attempts)
		l.at[s] = i
		l.attempts = append(l.attempts, listed{slot: s, key: strings.TrimSuffix(o.Key, name),
			files: map[string]int64{}})
	}
	switch name {
	case begunFile:
		l.attempts[i].written = o.Written
		l.read = append(l.read, reading{key: o.Key, by: func() error {
			return readInto(ctx, at, o.Key, &l.attempts[i].begun)
		}})
	case doneFile:
		l.read = append(l.read, reading{key: o.Key, by: func() error {
			return readInto(ctx, at, o.Key, &l.attempts[i].done)
		}})
	default:
		l.attempts[i].files[name] = o.Size
	}
}

// readAll reads what was seen.
func (l *listing) readAll() error {
	var work sync.WaitGroup
	limit := make(chan struct{}, atOnce)
	for i := range l.read {
		limit <- struct{}{}
		work.Go(func() {
			l.read[i].err = l.read[i].by()
			<-limit
		})
	}
	work.Wait()
	for _, r := range l.read {
		if err := l.damaged(r.key, r.err); err != nil {
			return err
		}
	}
	l.read = nil
	return nil
}

// damaged makes a warning of an object that is no JSON.
func (l *listing) damaged(key string, err error) error {
	if errors.As(err, new(*json.SyntaxError)) || errors.As(err, new(*json.UnmarshalTypeError)) {
		l.warn("%s is damaged (%v): it is passed over", key, err)
		return nil
	}
	return err
}

func readInto[T any](ctx context.Context, at *place.Place, key string, v **T) error {
	data, err := at.Read(ctx, key)
	if err != nil {
		return err
	}
	var x T
	if err := json.Unmarshal(data, &x); err != nil {
		return fmt.Errorf("reading %s: %w", key, err)
	}
	*v = &x
	return nil
}

// checkPlans leaves out what says that it belongs to another plan, or elsewhere.
func (l *listing) checkPlans() {
	for i := range l.attempts {
		a := &l.attempts[i]
		if a.begun != nil && keyOf(a.begun.Attempt) != a.key {
			l.warn("%s%s is of plan %s: it is left out", a.key, begunFile, a.begun.Plan)
			a.begun = nil
		}
		if a.done != nil && keyOf(a.done.Attempt) != a.key {
			l.warn("%s%s is of plan %s, machine %s, shard %d/%d: it is left out", a.key, doneFile, a.done.Plan,
				a.done.Machine, a.done.Shard, a.done.Shards)
			a.done = nil
		}
	}
}
