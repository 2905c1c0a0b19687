package plan

import (
	"cmp"
	"slices"
	"time"
)

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
	samples, quarters := inRound(p, c.Suite), 0.0
	if slices.Contains(p.Doubles, i) {
		samples++
	}
	whole := 0.0
	if slices.Contains(p.Suspects, i) {
		quarters++
		if _, _, sliced := p.Slices(c, 0); sliced {
			whole++ // the quarter is compared with it
		}
	}
	for _, a := range p.ArmsOf(c.Suite) {
		if !p.Options.NoGuards && !c.Shown && sieves(p, i, a) {
			quarters += float64(SieveRounds) / GuardRounds
		}
	}
	sec := float64(samples) * (times*sampleTime(p, c) + start)
	return seconds(sec), seconds(sec + quarters*(loop/4+start) + whole*(loop+start))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// sampleTime returns the expected loop time of a sample of a case, in seconds, as far as it is
// known before the first was taken.
func sampleTime(p *Plan, c Case) float64 {
	if n, slices, ok := p.Slices(c, 0); ok {
		return c.Estimate * float64(n) * float64(slices)
	}
	loop, _ := fullTime(p, c)
	return loop
}

// fullTime returns how long a sample of a process that runs alone takes in its loop and beside
// it, in seconds: as calibration found, and before it as the samples of its suite are long.
func fullTime(p *Plan, c Case) (loop, start float64) {
	if c.N == 0 {
		return max(p.SampleOf(c.Suite).Seconds(), c.Estimate), startUp.Seconds()
	}
	return c.Estimate * float64(c.N), cmp.Or(c.StartUp, startUp.Seconds())
}
