package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/bench/methods"
)

// What a step of the part methods does.
const (
	takeMemcost     = "memcost"     // rounds of memcost in which every comparison stays
	takeInterleaved = "interleaved" // processes of both sides in turns, in random order
	takeSequential  = "sequential"  // go test -count=10 on one side, then on the other
	takeRun         = "run"         // memcost run as a user has it, with a budget
)

// A step is one piece of the part methods, kept when it is done.
type step struct {
	Setting  string  `json:"setting"` // what was run, on what; only equal ones belong together
	Pass     int     `json:"pass"`
	Rate     int     `json:"rate"` // percent
	Take     string  `json:"take"`
	Begun    string  `json:"begun"`
	Wall     float64 `json:"wall"`     // seconds of the whole step
	Prepared float64 `json:"prepared"` // seconds before the first sample: links, listing, calibration

	Recording *methods.Recording `json:"recording,omitempty"`
	Folder    string             `json:"folder,omitempty"` // of memcost's run, below that of the step
	Sides     []sides            `json:"sides,omitempty"`  // of the sequential comparisons
	Pairs     []pair             `json:"pairs,omitempty"`  // what a run of memcost's said at its end
}

// sides are the samples of a sequential comparison, by kind, in seconds per operation.
type sides struct {
	Seconds float64              `json:"seconds"`
	Base    map[string][]float64 `json:"base"`
	Cand    map[string][]float64 `json:"cand"`
}

// name is that of the step's folder.
func (s step) name() string { return fmt.Sprintf("%03d-%02d-%s", s.Pass, s.Rate, s.Take) }

// runRate is the true change of the runs with a budget, in percent.
const runRate = 5

// ratesInTurn are the true changes in the order in which they are measured, so that an
// early end leaves what matters most.
var ratesInTurn = []int{5, 0, 2, 10, 1}

// passSteps returns the steps of a pass, in groups that are only begun when there is time
// for all of one: for each true change the three ways of sampling, which take turns in
// being the first, and a run with a budget.
func passSteps(pass int) (groups [][]step) {
	for i, rate := range ratesInTurn {
		var group []step
		takes := []string{takeMemcost, takeInterleaved, takeSequential}
		turn := (pass + i) % len(takes)
		for _, take := range slices.Concat(takes[turn:], takes[:turn]) {
			group = append(group, step{Pass: pass, Rate: rate, Take: take})
		}
		groups = append(groups, append(group, step{Pass: pass*len(ratesInTurn) + i, Rate: runRate, Take: takeRun}))
	}
	return groups
}

// stepFile marks a step as done; it is written last.
const stepFile = "step.json"

// A stepStore holds the steps that are done, each in a folder.
type stepStore struct {
	dir, setting string
	done         map[string]step
}

// openSteps reads the steps of one setting. A step without its file, or with one of
// another setting, is to be done; a file that cannot be read is an error that names it.
func openSteps(dir, setting string) (*stepStore, error) {
	s := &stepStore{dir: dir, setting: setting, done: map[string]step{}}
	files, err := filepath.Glob(filepath.Join(dir, "*", stepFile))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading a step that is done: %w", err)
		}
		var x step
		if err := json.Unmarshal(data, &x); err != nil {
			return nil, fmt.Errorf("reading %s: %w (remove its folder to do the step anew)", path, err)
		}
		if x.Setting == setting {
			s.done[x.name()] = x
		}
	}
	return s, nil
}

// folder returns an empty folder for a step.
func (s *stepStore) folder(x step) (string, error) {
	dir := filepath.Join(s.dir, x.name())
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("making room for a step: %w", err)
	}
	return dir, os.MkdirAll(dir, 0o777)
}

// keep writes a step's file, whole or not at all.
func (s *stepStore) keep(x step) error {
	data, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("keeping a step: %w", err)
	}
	path := filepath.Join(s.dir, x.name(), stepFile)
	if err := os.WriteFile(path+".new", data, 0o666); err != nil {
		return fmt.Errorf("keeping a step: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("keeping a step: %w", err)
	}
	s.done[x.name()] = x
	return nil
}

// all returns the steps that are done of a kind, in the order of their names.
func (s *stepStore) all(take string) []step {
	var out []step
	for _, x := range s.done {
		if x.Take == take {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b step) int { return strings.Compare(a.name(), b.name()) })
	return out
}

// spent returns the seconds of all steps that are done.
func (s *stepStore) spent() (sum float64) {
	for _, x := range s.done {
		sum += x.Wall
	}
	return sum
}

// expected returns the seconds of the steps of a group that are not done: the mean of those
// like it, or otherwise where there are none.
func (s *stepStore) expected(group []step, otherwise float64) (sum float64) {
	for _, x := range group {
		if _, done := s.done[x.name()]; done {
			continue
		}
		like := s.all(x.Take)
		if len(like) == 0 {
			sum += otherwise
		}
		for _, y := range like {
			sum += y.Wall / float64(len(like))
		}
	}
	return sum
}

// onlyRun returns the single run folder in dir.
func onlyRun(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("looking for memcost's run in %s: %d run folders: %w", dir, len(found), fs.ErrNotExist)
	}
	return filepath.Dir(found[0]), nil
}

// now is the time for a step's record.
func now() string { return time.Now().UTC().Format(time.RFC3339) }

var errNoSamples = errors.New("no round was complete")
