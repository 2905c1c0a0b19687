package plan

import (
	"cmp"
	"slices"
	"time"
)

// LinkTime is what a link takes on two cores, before one was made.
const LinkTime = time.Second / 6

// calibrationPart is the part of a sample that finding a case's N takes beside a start: go
// test tries ever more iterations, up to a quarter of a sample.
const calibrationPart = 0.4

// between is what lies between the samples of rounds, as a part of their time: judging,
// writing, collecting garbage.
const between = 0.1

// A Forecast says how long a run will take. Before calibration it is made of the lengths of
// samples, and nothing in it was measured.
type Forecast struct {
	Samples     int           `json:"samples_per_round"`
	Round       time.Duration `json:"round_ns"`       // with the guards of the first rounds
	Listing     time.Duration `json:"listing_ns"`     // and what was calibrated: that much is known
	Calibration time.Duration `json:"calibration_ns"` // of the cases that have no N yet
	Links       time.Duration `json:"links_ns"`       // that are made between rounds, in those that any verdict takes
	Verdicts    time.Duration `json:"verdicts_ns"`    // the rounds that verdicts take
	Least       time.Duration `json:"least_ns"`       // those before which nothing is decided
	Tables      time.Duration `json:"tables_ns"`      // further ones, for the intervals of what only fills tables
}

// Prepared returns the time before the first round that a budget counts.
func (f Forecast) Prepared() time.Duration { return f.Listing + f.Calibration }

// Needed returns the budgets that leave room for the rounds before which nothing is decided,
// and for those of the claims over many cases.
func (f Forecast) Needed() (least, most time.Duration) {
	up := func(d time.Duration) time.Duration {
		return (f.Prepared() + f.Links + d + time.Second).Round(time.Second)
	}
	return up(f.Least), up(max(f.Least, f.Verdicts))
}

// Raised returns the budget of a run for whose verdicts the given one may have no room: a quarter more than the first of
// them take, for not all come at the first look, and what the intervals of tables take.
func (f Forecast) Raised(budget time.Duration) time.Duration {
	least, most := f.Needed()
	return max(budget, most, (least*5/4 + f.Tables).Round(time.Second))
}

// ForecastOf foretells how long a plan takes. rounds is how many a case needs for the verdicts
// on it.
func ForecastOf(p *Plan, rounds func(study, name string) int) Forecast {
	f := Forecast{Listing: p.Prepared}
	type printed struct {
		study int
		name  string
	}
	calibrated := map[printed]bool{}
	for i, c := range p.Cases {
		if at := (printed{c.Study, c.Printed()}); c.N == 0 && !calibrated[at] {
			calibrated[at] = true
			loop, start := fullTime(p, c)
			f.Calibration += seconds(calibrationPart*loop + start)
		}
		if !p.Mine(c.Group) {
			continue
		}
		_, guarded := p.CaseTime(i)
		f.Round += guarded
		f.Samples += inRound(p, c.Study)
		least, all := verdictTimes(p, i, rounds)
		f.Least += least
		f.Verdicts += all
		if rounds(p.Studies[c.Study].Name, c.Name) <= FirstRounds && p.Options.Rounds == 0 {
			plain, _ := p.CaseTime(i)
			f.Tables += time.Duration((p.LeastRounds()-FirstRounds)*p.Turns()) * plain
		}
	}
	f.Samples += len(p.Doubles)
	f.Verdicts += time.Duration(between * float64(f.Verdicts))
	f.Least += time.Duration(between * float64(f.Least))
	for s := range p.Studies {
		f.Links += time.Duration(p.firstLinks(s)) * LinkTime
	}
	return f
}

// firstLinks returns how many links of a study are made in the rounds that any verdict takes, beside the one of each side
// that was made before.
func (p *Plan) firstLinks(study int) int {
	if p.Studies[study].Kind() != GoTest || !p.Options.FreshLayouts {
		return 0
	}
	n := min(cmp.Or(p.Options.Layouts, FirstLinks), FirstLinks, cmp.Or(p.Options.Rounds, FirstLinks))
	links := len(p.SidesOf(study)) * (n - 1)
	if slices.ContainsFunc(p.Doubles, func(c int) bool { return p.Cases[c].Study == study }) {
		links += n
	}
	return links
}

// verdictTimes returns how long a case takes in the rounds before which nothing is decided, and in
// those that its verdicts need.
func verdictTimes(p *Plan, i int, rounds func(study, name string) int) (least, all time.Duration) {
	c := p.Cases[i]
	plain, guarded := p.CaseTime(i)
	n := rounds(p.Studies[c.Study].Name, c.Name)
	if p.Options.Rounds > 0 {
		n = p.Options.Rounds
	}
	first := min(n, GuardRounds) * p.Turns()
	n *= p.Turns()
	least = time.Duration(first) * guarded
	return least, least + time.Duration(n-first)*plain
}

// Uncalibrate leaves cases without a number of iterations, but for those of which one iteration is
// longer than a sample.
func Uncalibrate(p *Plan) {
	for i := range p.Cases {
		if c := &p.Cases[i]; c.Estimate < p.SampleOf(c.Study).Seconds() {
			c.N, c.Estimate = 0, 0
		}
	}
}

// startUp is what a fresh process takes before and after its loop, where calibration has not
// seen it: 6 to 16 ms on a shared virtual machine (see QuickSample).
const startUp = 11 * time.Millisecond

// besideSpinning is how much longer a sample takes beside processes that spin than
// calibration, which runs without them, found: at worst it shares its core with one.
const besideSpinning = 2

// RoundTime returns the expected time of a round in which every case is measured, without
// and with the guard samples of the first rounds: of the loops, and of what the processes
// take beside them where calibration saw it.
func (p *Plan) RoundTime() (plain, guarded time.Duration) {
	for i, c := range p.Cases {
		if p.Mine(c.Group) {
			bare, all := p.CaseTime(i)
			plain, guarded = plain+bare, guarded+all
		}
	}
	return plain, guarded
}

// CaseTime returns what a case adds to RoundTime.
func (p *Plan) CaseTime(i int) (plain, guarded time.Duration) {
	c := p.Cases[i]
	times := 1.0
	if c.Spinning > 0 {
		times = besideSpinning
	}
	loop, start := fullTime(p, c)
	loop, start = times*loop, times*start
	samples, quarters := inRound(p, c.Study), 0.0
	if slices.Contains(p.Doubles, i) {
		samples++
	}
	each, sliced := sampleTime(p, c)
	whole := 0.0
	if slices.Contains(p.Suspects, i) {
		quarters++
		if sliced {
			whole++ // the quarter is compared with it
		}
	}
	for _, a := range p.SidesOf(c.Study) {
		if !p.Options.NoGuards && !c.Shown && sieves(p, i, a) {
			quarters += float64(SieveRounds) / GuardRounds
		}
	}
	sec := float64(samples) * (times*each + start)
	return seconds(sec), seconds(sec + quarters*(loop/4+start) + whole*(loop+start))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// sampleTime returns the expected loop time of a sample of a case, in seconds, as far as it is
// known before the first was taken, and whether it is one of slices.
func sampleTime(p *Plan, c Case) (sec float64, sliced bool) {
	if p.InTurns(c) {
		if n, slices, ok := p.Slices(c.Study, Loop{Sec: c.Estimate}); ok {
			return c.Estimate * float64(n[0]) * float64(slices), true
		}
	}
	sec, _ = fullTime(p, c)
	return sec, false
}

// fullTime returns how long a sample of a process that runs alone takes in its loop and beside
// it, in seconds: as calibration found, and before it as the samples of its study are long.
func fullTime(p *Plan, c Case) (loop, start float64) {
	if c.N == 0 {
		return max(p.SampleOf(c.Study).Seconds(), c.Estimate), startUp.Seconds()
	}
	return c.Estimate * float64(c.N), cmp.Or(c.StartUp, startUp.Seconds())
}
