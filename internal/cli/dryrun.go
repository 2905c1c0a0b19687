package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/internal/method/claim"
)

// A dryRun is what run -n prints as JSON: what run.json would hold, without the iterations of
// the cases, and how long it would take.
type dryRun struct {
	*plan.Question
	Needs    claim.Need    `json:"verdicts"`
	Estimate plan.Forecast `json:"estimate"`
}

// printPlan prints what a run would do: the configurations, the cases, how long it takes, and
// the commands of the first round in their order.
func printPlan(w io.Writer, r *session.Session, asJSON bool) error {
	p := &r.Question.Plan
	if asJSON {
		return writeJSON(w, dryRun{r.Question, r.Need, plan.ForecastOf(p, r.Need.Of)})
	}
	o := p.Options
	fmt.Fprintf(w, "profile   %s: samples of %v or more, precision %g%%, budget %v, α = %g, seed %d, %s\n",
		o.Profile, o.Sample, 100*o.Precision, o.Budget, o.Alpha, o.Seed, layoutsSay(o))
	for i, a := range p.Sides {
		fmt.Fprintf(w, "config %-2d %s\n", i, a.Name)
	}
	printLoads(w, p)
	if p.TakesTurns() {
		fmt.Fprintf(w, "slices    the configurations of a case take turns after its guards: up to %d a sample\n",
			o.Slices)
	}
	printForecast(w, p, r.Need, plan.ForecastOf(p, r.Need.Of))
	for g, members := range p.Groups() {
		var names []string
		for _, c := range members {
			names = append(names, p.Cases[c].Name)
		}
		mark := ""
		if !p.Mine(g) {
			mark = " (not in this shard)"
		}
		fmt.Fprintf(w, "comparison %d%s: %s\n", g, mark, strings.Join(names, " | "))
	}
	fmt.Fprintf(w, "\nround 0, each with the first of its links, and a time in place of the iterations that "+
		"calibration finds\n")
	samples, err := r.FirstRound()
	if err != nil {
		return err
	}
	for _, s := range samples {
		// The padding is written so that a shell makes it, and a reader sees the rest.
		cmd := s.Command.String()
		if n := s.Task.Padding; n > 0 {
			cmd = strings.Replace(cmd, strings.Repeat("x", n), fmt.Sprintf("$(printf %%%ds | tr ' ' x)", n), 1)
		}
		if n := p.Cases[s.Task.Case].Spinning; n > 0 {
			cmd += "  # beside " + sample.BusyCores(n)
		}
		fmt.Fprintln(w, cmd)
	}
	return nil
}

// printForecast prints how many samples a run takes, how long that is, and what it leaves out.
func printForecast(w io.Writer, p *plan.Plan, need claim.Need, f plan.Forecast) {
	o := p.Options
	fmt.Fprintf(w, "cases     %d in %s; %s\n", len(p.Cases), units.Plural(len(p.Groups()), "comparison"),
		units.Plural(need.Claims, "claim"))
	round, all, rounds := fmt.Sprint(about(f.Round)), fmt.Sprint(about(f.Prepared()+f.Links+f.Verdicts)), fmt.Sprint(about(f.Verdicts))
	if o.Longest > o.Sample && f.Round > 0 {
		// Which cases allocate, and have longer samples, calibration finds.
		longest := f.Round + time.Duration(f.Samples)*(o.Longest-o.Sample)
		verdicts := time.Duration(float64(f.Verdicts) * float64(longest) / float64(f.Round))
		round += fmt.Sprintf(", and up to %v where all cases allocate, whose samples take up to %v", about(longest), o.Longest)
		all += fmt.Sprintf(" to %v", about(f.Prepared()+f.Links+verdicts))
		rounds += fmt.Sprintf(" to %v", about(verdicts))
	}
	fmt.Fprintf(w, "samples   %d in a round, which takes about %s\n", f.Samples, round)
	fmt.Fprintf(w, "rounds    %s\n", roundsNeeded(o, need))
	fmt.Fprintf(w, "time      about %s: %v of listing, %v of calibration, %v of links, %s for these rounds\n",
		all, about(f.Listing), about(f.Calibration), about(f.Links), rounds)
	if o.Rounds == 0 {
		fmt.Fprintf(w, "budget    %s\n", budgetSays(o, f))
	}
	for _, line := range leftOut(p) {
		fmt.Fprintf(w, "%s\n", line)
	}
	fmt.Fprintf(w, "The listing took its time; the other times follow from the lengths of the samples: nothing was "+
		"measured.\n\n")
}

// layoutsSay says how many memory layouts there are.
func layoutsSay(o plan.Options) string {
	if o.DrawsLinks() {
		return "as many layouts as are worth their time"
	}
	return units.Plural(o.Layouts, "layout")
}

// roundsNeeded says how many rounds verdicts take.
func roundsNeeded(o plan.Options, n claim.Need) string {
	switch {
	case o.Rounds > 0:
		return fmt.Sprintf("%d, as --rounds asks; a verdict takes %d at least", o.Rounds, n.Least)
	case n.Most > n.Least:
		return fmt.Sprintf("%d at least before a verdict; %d where claim %s fails at only one of the %d cases or "+
			"pairs that it is over", n.Least, n.Most, n.Claim, n.Places)
	}
	return fmt.Sprintf("%d at least before a verdict", n.Least)
}

// budgetSays compares a budget with what the rounds of the verdicts take.
func budgetSays(o plan.Options, f plan.Forecast) string {
	need := f.Prepared() + f.Verdicts
	switch room := o.Budget - f.Prepared(); {
	case need > o.Budget && room < f.Round:
		return fmt.Sprintf("%v is too short for one round: --budget %v would do, or fewer cases (-b)", o.Budget,
			about(need+need/10))
	case need > o.Budget:
		return fmt.Sprintf("%v is too short for the verdicts, with room for about %d rounds: --budget %v would do, or "+
			"fewer cases (-b)", o.Budget, room/f.Round, about(need+need/10))
	case o.StopWhenDecided:
		return fmt.Sprintf("%v at most, calibration included; it ends when all is decided", o.Budget)
	}
	return fmt.Sprintf("%v at most, calibration included, with room for about %d rounds; it ends when all is "+
		"decided and known to %g%%", o.Budget, (o.Budget-f.Prepared())/max(f.Round, 1), 100*o.Precision)
}

// about rounds a time for people.
func about(d time.Duration) time.Duration {
	if d < 2*time.Second {
		return d.Round(time.Second / 10)
	}
	return d.Round(time.Second)
}

// leftOut lists what a plan leaves out or takes longer for.
func leftOut(p *plan.Plan) []string {
	var out []string
	if n := len(p.ToFull); n > 0 {
		out = append(out, fmt.Sprintf("left out  %s, which --full measures", units.Plural(n, "case")))
	}
	for _, f := range p.Failures {
		what := "failed    "
		if f.Skipped {
			what = "skipped   "
		}
		out = append(out, what+f.Name+": "+f.Reason)
	}
	const most = 5
	slow := slices.DeleteFunc(slices.Clone(p.Cases), func(c plan.Case) bool { return c.N == 0 })
	slices.SortStableFunc(slow, func(a, b plan.Case) int { return cmp.Compare(b.Estimate, a.Estimate) })
	for i, c := range slow {
		if i == most {
			out = append(out, fmt.Sprintf("          and %d more cases whose first iteration took longer than a sample",
				len(slow)-most))
			break
		}
		took := time.Duration(c.Estimate * float64(time.Second))
		out = append(out, fmt.Sprintf("slow      %s: its first iteration took %v, and is a sample", c.Name,
			about(took)))
	}
	return out
}

// printLoads prints what the cases are measured beside, where they are measured beside
// something.
func printLoads(w io.Writer, p *plan.Plan) {
	var said []string
	for _, c := range p.Cases {
		if c.Busy == "" || slices.Contains(said, c.Busy) {
			continue
		}
		said = append(said, c.Busy)
		what := "beside " + sample.BusyCores(c.Spinning)
		if c.Spinning == 0 {
			what = "alone"
		}
		fmt.Fprintf(w, "busy=%-4s %s\n", c.Busy, what)
	}
}
