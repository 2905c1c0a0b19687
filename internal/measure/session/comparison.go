package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
)

// A Run is a comparison of sides that are there already.
type CommandRun struct {
	*Tools
	Question *plan.Question
	Folder   *store.Folder // nil where a plan is only printed
	Measured time.Duration // by Measure
	Failed   error         // of a side without a sample, where there is one; by Measure

	sides    Sides
	lab      *sample.Lab
	suites   []claim.Suite
	targets  []sample.Target // by arm
	launcher *proc.Launcher
	load     *Load    // of a server; nil: the commands end by themselves
	prepared proc.Cmd // what runs before each sample; its path is "" for nothing
	buffer   []byte   // for what commands print
	floor    int64    // below which the peak of a process's memory is not known
	made     bool     // the folder of run folders was made for this run
}

// Sides are what is compared. Each kind knows how to begin with what the user wrote, and how to go
// on with what run.json has.
type Sides interface {
	// choose puts the arms and the suite into the plan.
	choose(ctx context.Context, r *CommandRun) error
	// targets finds what runs on each arm, and puts the builds into the question.
	targets(ctx context.Context, r *CommandRun) error
	// list finds the cases that all sides have.
	list(ctx context.Context, r *CommandRun) error
	// check says what is to be known of the sides before they are measured.
	check(ctx context.Context, r *CommandRun) error
}

func (r *CommandRun) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if slices.Contains(r.Question.Warnings, w) {
		return // said before a run was gone on with
	}
	r.Question.Warnings = append(r.Question.Warnings, w)
	r.Log.Note("warning: " + w)
}
