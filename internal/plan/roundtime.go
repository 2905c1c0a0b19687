package plan

import (
	"slices"
	"time"
)

// besideSpinning is how much longer a sample takes beside processes that spin than
// calibration, which runs without them, found: at worst it shares its core with one.
const besideSpinning = 2

// RoundTime returns the expected loop time of a complete round with every group live,
// without and with the guard samples of the first rounds.
func (p *Plan) RoundTime() (plain, guarded time.Duration) {
	var sec, quarter float64
	for i, c := range p.Cases {
		if !p.Mine(c.Group) {
			continue
		}
		t, quarterOf := p.sampleTime(c), c.Estimate*float64(c.N)
		if c.Spinning > 0 {
			t, quarterOf = t*besideSpinning, quarterOf*besideSpinning
		}
		sec += t * float64(len(p.ArmsOf(c.Suite)))
		if slices.Contains(p.Suspects, i) {
			quarter += quarterOf / 4
			if _, _, sliced := p.Slices(c, 0); sliced {
				quarter += quarterOf // Whole
			}
		}
		for _, a := range p.ArmsOf(c.Suite) {
			if p.sieves(i, a) {
				quarter += quarterOf / 4 * SieveRounds / GuardRounds
			}
		}
		if slices.Contains(p.Doubles, i) {
			sec += t
		}
	}
	return seconds(sec), seconds(sec + quarter)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// sampleTime returns the expected loop time of a sample of a case, in seconds, as far as it is
// known before the first was taken.
func (p *Plan) sampleTime(c Case) float64 {
	if n, slices, ok := p.Slices(c, 0); ok {
		return c.Estimate * float64(n) * float64(slices)
	}
	return c.Estimate * float64(c.N)
}
