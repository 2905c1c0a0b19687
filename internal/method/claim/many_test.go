package claim

import "testing"

// What is selected of the verdicts of a run: those that are plain stand, one that is just
// decided does not when a hundred are counted with it.
func TestVerdictsCountedTogether(t *testing.T) {
	lines := [][2]string{{"claim", "holds place:heap / place:stack > 1 for every size"},
		{"claim", "fails place:heap / place:stack < 1 for every size"},
		{"claim", "range place:heap / place:stack in 1.5..3 for every size"},
		{"claim", "rate place:stack size/sec in 50e9..120e9 for every size"},
		{"claim", "linear place:stack linear in size"},
		{"claim", "count place:heap allocs/op == 1 for every size"}}
	l := newLab(1)
	l.places(40, 0.02, always(2), 512, 1024, 2048)
	j := JudgeArms(Study{Name: "s", Written: claimStudy(t, lines...)}, l.set, []string{"a"}, 0.05, nil)[0]
	Discover([][]*Judged{{j}}, 0.05)
	for _, v := range j.Verdicts {
		if counted := v.Claim != "count"; v.Counted != counted {
			t.Errorf("%s is counted: %v", v.Claim, v.Counted)
		}
		if plain := v.Claim != "count" && v.Claim != "rate"; plain && !v.Selected { // the rate drifts
			t.Errorf("%s is decided plainly and does not stand: %+v", v.Claim, v)
		}
	}

	// Nine rounds are enough for one verdict, and for one of a hundred not.
	l = newLab(1)
	l.places(9, 0.08, always(1.5), 512)
	st := claimStudy(t, [2]string{"claim", "C place:heap / place:stack > 1"})
	one := func() *Judged { return JudgeArms(Study{Name: "s", Written: st}, l.set, []string{"a"}, 0.05, nil)[0] }
	alone := one()
	Discover([][]*Judged{{alone}}, 0.05)
	if v := alone.Verdicts[0]; v.Status != Holds || !v.Selected {
		t.Errorf("alone: %+v", v)
	}
	noise := newLab(2)
	for round := range 9 {
		noise.add("X/place=stack/size=512-2", "a", "", round, sec(noise.noisy(1, 0.05)))
		noise.add("X/place=heap/size=512-2", "a", "", round, sec(noise.noisy(1, 0.05)))
	}
	many := [][]*Judged{{one()}}
	for range 99 {
		many = append(many, []*Judged{JudgeArms(Study{Name: "s", Written: st}, noise.set, []string{"a"}, 0.05, nil)[0]})
	}
	Discover(many, 0.05)
	if v := many[0][0].Verdicts[0]; v.Status != Holds || v.Selected {
		t.Errorf("one of a hundred: %+v", v)
	}
}

// An undecided verdict counts with the answer that the rounds lean to.
func TestPOfVerdicts(t *testing.T) {
	l := newLab(1)
	l.places(40, 0.02, always(2), 512, 1024)
	for text, want := range map[string]bool{
		"place:heap / place:stack > 1 for every size":        true,
		"place:heap / place:stack < 1 for every size":        true,
		"place:heap / place:stack >= 2 for every size":       false,
		"place:heap / place:stack in 1..2.01 for every size": false,
	} {
		v := l.verdict(t, text)
		if p, ok := v.p(0.05); !ok || (p <= 0.05) != want {
			t.Errorf("%s (%s) has p = %v", text, v.Status, p)
		}
	}
}
