package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/fleet/jobs"
)

// An Outcome is what memcost submit says: what is submitted, or would be.
type Outcome struct {
	Plan     string      `json:"plan"` // hash
	Place    string      `json:"place"`
	On       string      `json:"on"`
	Number   int         `json:"number"`
	DryRun   bool        `json:"dry_run,omitempty"`
	Dir      string      `json:"folder,omitempty"`
	Files    []Shipped   `json:"files,omitempty"`
	Commands []string    `json:"commands,omitempty"`
	Jobs     []fleet.Job `json:"jobs,omitempty"`
	Text     string      `json:"text,omitempty"` // the manifest, or the commands of a shell
	commands []jobs.Command
}

// A Shipped is a file that the jobs need: its text, or the program that it is a copy of.
type Shipped struct {
	Name       string `json:"name"`
	Text       string `json:"text,omitempty"`
	From       string `json:"from,omitempty"`
	SHA256     string `json:"sha256,omitempty"`
	executable bool
}

// show prints it.
func (o *Outcome) show(w io.Writer) error {
	switch {
	case o.Text != "":
		_, err := io.WriteString(w, o.Text)
		return err
	case o.DryRun:
		return o.showFiles(w)
	}
	fmt.Fprintf(w, "plan %s is submitted to %s as submission %d, with %s in %s\n", o.Plan, o.On, o.Number,
		units.Plural(len(o.Jobs), "job"), o.Dir)
	for _, j := range o.Jobs {
		fmt.Fprintf(w, "  %s\n", j.Describe())
	}
	_, err := fmt.Fprintf(w, "memcost status %s says how far it is\n", o.Place)
	return err
}

// showFiles prints what a dry run would write and start.
func (o *Outcome) showFiles(w io.Writer) error {
	var err error
	say := func(format string, args ...any) {
		_, wrong := fmt.Fprintf(w, format, args...)
		err = errors.Join(err, wrong)
	}
	say("# %s: the plan %s\n", filepath.Join(o.Dir, jobs.PlanFile), o.Plan)
	for _, f := range o.Files {
		if path := filepath.Join(o.Dir, f.Name); f.From != "" {
			say("# %s: a copy of %s, SHA-256 %s\n", path, f.From, f.SHA256)
		} else {
			say("\n# %s:\n%s", path, f.Text)
		}
	}
	say("\n# in %s:\n", o.Dir)
	for _, c := range o.Commands {
		say("%s\n", c)
	}
	return err
}
