package fleet

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// Block says how far a plan is, by machine.
func (s *Status) Block() *document.Group {
	g := &document.Group{Frame: document.Frame{Gap: 1}}
	say := func(format string, args ...any) { g.Add(document.Sentencef(format, args...)) }
	if s.Incomplete != "" {
		g.Add(&document.Sentence{Text: document.As(document.Warning, s.Incomplete)})
	}
	say("plan %s: %s; %s in %s", s.Plan, strings.Join(s.Studies, ", "), units.Plural(s.Cases, "case"),
		units.Plural(s.Comparisons, "comparison"))
	t := &document.Table{Columns: append(document.Heads(document.Name, "machine", "host"),
		document.Heads(document.Words, "done", "running", "interrupted", "lost", "not begun", "samples")...)}
	for _, m := range s.Machines {
		t.Say(m.ID, m.Host, fmt.Sprintf("%d of %d", len(m.Done), m.Shards), shardList(m.Running),
			shardList(m.Interrupted), shardList(m.Lost), shardList(m.NotBegun), strconv.Itoa(m.Samples))
	}
	g.Add(t)
	if s.Left > 0 {
		say("what runs now ends in %v at most", s.Left.Round(time.Second))
	}
	for _, x := range s.Submissions {
		x.add(g)
	}
	for _, warning := range s.Warnings {
		g.Add(&document.Sentence{Hang: 2, Text: document.As(document.Warning, "warning:").Said(" ").And(
			document.As(document.Given, warning))})
	}
	return g
}

// add says how much of what was given to a scheduler has begun.
func (x *Submission) add(g *document.Group) {
	g.Add(document.Sentencef("submission %d to %s from %s: %d of %s begun", x.Number, x.On, x.Host, x.Begun,
		units.Plural(x.Tasks, "task")))
	if x.Begun >= x.Tasks && len(x.Jobs) > 0 {
		return
	}
	say := func(format string, args ...any) {
		s := document.Sentencef(format, args...)
		s.Inset = 2
		g.Add(s)
	}
	say("submitted, not begun since %s: %s", ago(x.Since), units.Plural(x.Tasks-x.Begun, "task"))
	var ids []string
	for _, j := range x.Jobs {
		if j.ID != "" {
			ids = append(ids, j.ID)
		}
	}
	switch {
	case len(ids) == 0:
	case x.On == "kubernetes":
		say("why: kubectl describe job %s", strings.Join(ids, " "))
	default:
		say("why: squeue --start -j %s", strings.Join(ids, ","))
	}
}

// ago writes how long something takes: 45 s, 12 min, 3 h.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// shardList writes numbers of shards, with runs of them as 3–7.
func shardList(shards []int) string {
	var out []string
	for i := 0; i < len(shards); {
		j := i
		for j+1 < len(shards) && shards[j+1] == shards[j]+1 {
			j++
		}
		part := strconv.Itoa(shards[i])
		if j > i {
			part += "–" + strconv.Itoa(shards[j])
		}
		out = append(out, part)
		i = j + 1
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ",")
}
