package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/fleet/place"
)

// submittedFolder of a plan in a place says what memcost submit gave to schedulers: PLAN/submitted/0.json
const submittedFolder = "submitted/"

// A Submitted is what was given to a scheduler at once.
type Submitted struct {
	Number    int       `json:"number"`
	On        string    `json:"on"` // slurm, ssh
	Host      string    `json:"host"`
	Submitted time.Time `json:"submitted"`
	Shards    int       `json:"shards"`
	Replicas  int       `json:"replicas"`
	Jobs      []Job     `json:"jobs"`
}

// A Job is one of the scheduler's, with a number of tasks.
type Job struct {
	ID    string `json:"id,omitempty"` // the scheduler's
	Kind  string `json:"kind,omitempty"`
	Tasks int    `json:"tasks"`
}

// Describe names the job.
func (j Job) Describe() string {
	out := units.Plural(j.Tasks, "task")
	if j.Kind != "" {
		out = "kind " + j.Kind + ", " + out
	}
	if j.ID != "" {
		out = "job " + j.ID + ": " + out
	}
	return out
}

// Bring puts a plan into a place, unless it is there.
func Bring(ctx context.Context, to *place.Place, f *File) error {
	return writePlan(ctx, to, f)
}

// NextSubmission returns the number of the next submission of a plan to a place.
func NextSubmission(ctx context.Context, at *place.Place, hash string) (int, error) {
	objects, err := at.List(ctx, hash+"/"+submittedFolder)
	if err != nil {
		return 0, err
	}
	next := 0
	for _, o := range objects {
		if n, is := submissionOf(strings.TrimPrefix(o.Key, hash+"/")); is {
			next = max(next, n+1)
		}
	}
	return next, nil
}

// Record writes what was submitted to the place. The first time of a number it fails with
// place.ErrThere where another has that number.
func (s *Submitted) Record(ctx context.Context, to *place.Place, hash string, first bool) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("formatting what was submitted: %w", err)
	}
	key := hash + "/" + submittedFolder + strconv.Itoa(s.Number) + ".json"
	if first {
		return to.WriteNew(ctx, key, append(data, '\n'))
	}
	return to.Write(ctx, key, append(data, '\n'))
}

// submissionOf reads a key below a plan's folder: submitted/3.json
func submissionOf(key string) (int, bool) {
	name, in := strings.CutPrefix(key, submittedFolder)
	name, is := strings.CutSuffix(name, ".json")
	n, err := strconv.Atoi(name)
	return n, in && is && err == nil && n >= 0
}

// A given is a submission as it stands in a place.
type given struct {
	Submitted
	written time.Time // by the clock of the place
}

// readGiven reads what was submitted.
func readGiven(ctx context.Context, at *place.Place, o place.Object) (given, error) {
	g := given{written: o.Written}
	data, err := at.Read(ctx, o.Key)
	if err != nil {
		return g, err
	}
	return g, json.Unmarshal(data, &g.Submitted)
}

// IsTaken reports whether Record found another submission of the number.
func IsTaken(err error) bool { return errors.Is(err, place.ErrThere) }
