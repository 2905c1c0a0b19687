package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// A pair is two arms of one benchmark, compared.
type pair struct {
	Case      string  `json:"case"`
	Different bool    `json:"different"` // called so at α = 0.05
	Changed   bool    `json:"changed"`   // called changed: by more than 1%, after e-BH
	Ratio     float64 `json:"ratio"`     // of the medians
	Rounds    int     `json:"rounds"`    // samples of each arm that counted
}

// The two methods of comparing.
const (
	sequential  = "sequential"
	interleaved = "interleaved"
)

// A repetition is one comparison of all benchmarks by one method.
type repetition struct {
	Setting string    `json:"setting"` // what was run, on what; only equal ones belong together
	Number  int       `json:"number"`
	Method  string    `json:"method"`
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"` // of the processes; memcost's with its builds and calibration
	Unfit   bool      `json:"unfit"`   // memcost calls the machine unfit: too many rounds were disturbed
	Pairs   []pair    `json:"pairs"`
}

// A journal holds the finished repetitions, one JSON object a line. It is only appended
// to, so that an interrupted session continues where it was.
type journal struct {
	path string
	done []repetition
}

// openJournal reads the repetitions of one setting. A last line without its end
// is one that an interruption cut off: it is removed.
func openJournal(path, setting string) (*journal, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the repetitions that are done: %w", err)
	}
	whole := len(data)
	for whole > 0 && data[whole-1] != '\n' {
		whole--
	}
	if whole < len(data) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return nil, fmt.Errorf("removing an unfinished line: %w", err)
		}
	}
	j := &journal{path: path}
	for i := 1; len(data[:whole]) > 0; i++ {
		n, line, _ := bufio.ScanLines(data[:whole], true)
		data, whole = data[n:], whole-n
		var r repetition
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("reading %s line %d: %w", path, i, err)
		}
		if r.Setting == setting {
			j.done = append(j.done, r)
		}
	}
	return j, nil
}

func (j *journal) has(number int, method string) bool {
	return slices.ContainsFunc(j.done, func(r repetition) bool { return r.Number == number && r.Method == method })
}

func (j *journal) add(r repetition) (err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keeping a repetition: %w", err)
	}
	f, err := os.OpenFile(j.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("keeping a repetition: %w", err)
	}
	if _, err = f.Write(append(line, '\n')); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keeping a repetition: %w", err)
	}
	j.done = append(j.done, r)
	return nil
}

// of returns the first n repetitions of a method.
func (j *journal) of(method string, n int) []repetition {
	var out []repetition
	for _, r := range j.done {
		if r.Method == method && r.Number <= n {
			out = append(out, r)
		}
	}
	return out
}
