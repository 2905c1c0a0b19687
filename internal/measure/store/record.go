package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
)

// A Record is a folder whose state is one file of JSON, which is written anew as a whole. Run
// folders may lie in it. Only one process at a time can have it open.
type Record struct {
	Dir  string
	name string
	lock *flock.Flock
}

// CreateRecord makes a folder for a record, which it must not hold yet.
func CreateRecord(dir, name string) (*Record, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("creating the folder %s: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
		return nil, fmt.Errorf("creating the folder %s: it holds %s already", dir, name)
	}
	return openRecord(dir, name)
}

// OpenRecord opens a folder that holds a record, and reads it into v.
func OpenRecord(dir, name string, v any) (*Record, error) {
	if err := ReadRecord(dir, name, v); err != nil {
		return nil, err
	}
	return openRecord(dir, name)
}

// ReadRecord reads the record of a folder into v.
func ReadRecord(dir, name string, v any) error {
	data, err := foreign.Read(dir, name, foreign.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the folder %s: it holds no %s", dir, name)
	}
	if err != nil {
		return fmt.Errorf("reading the folder %s: %w", dir, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return hint.New("the run folders in it can be read by themselves: memcost report "+filepath.Join(dir, "*"),
			"reading %s: it is damaged: %w", filepath.Join(dir, name), err)
	}
	return nil
}

func openRecord(dir, name string) (*Record, error) {
	lock, err := lockIn(dir)
	return &Record{dir, name, lock}, readOnly(err)
}

// Write writes the record, signed.
func (r *Record) Write(v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("formatting %s: %w", r.name, err)
	}
	path := filepath.Join(r.Dir, r.name)
	if err := writeAtomically(r.Dir, r.name, signed(append(data, '\n'))); err != nil {
		return &WriteError{fmt.Errorf("writing %s: %w", path, err)}
	}
	return nil
}

// Close gives the folder back.
func (r *Record) Close() error { return r.lock.Unlock() }
