package across

import (
	"fmt"
	"slices"

	"memcost/internal/method/claim"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

func (b builder) study(name string) Study {
	out := Study{Name: name, Claims: []Claim{}}
	for _, m := range b.Machines {
		s := b.suite(m, name)
		if s == nil {
			continue
		}
		for _, c := range s.Claims {
			if !slices.ContainsFunc(out.Claims, func(have Claim) bool { return have.ID == c.ID }) {
				out.Claims = append(out.Claims, b.claim(name, c.ID, c.Says()))
			}
		}
	}
	cases := b.cases(name)
	out.Spreads = b.spreads(cases)
	out.Cost = b.cost(name, cases)
	return out
}

// claim returns a claim by machine, and of one about machines what all of them say together.
func (b builder) claim(study, id, prose string) Claim {
	c := Claim{ID: id, Prose: prose, Cells: make([]Cell, len(b.Machines))}
	for i, m := range b.Machines {
		if s := b.suite(m, study); s != nil {
			c.Cells[i] = cellOf(s, id)
		}
	}
	if of, st := b.about(study, id); of != nil {
		b.line(&c, *of, study, st)
		return c
	}
	c.Says = b.count(c.Cells)
	return c
}

// cellOf returns the verdict of a machine's first configuration.
func cellOf(s *result.Suite, id string) Cell {
	for _, c := range s.Claims {
		if c.ID != id {
			continue
		}
		for _, v := range c.Verdicts {
			switch {
			case v.Published:
			case v.Status == string(claim.Untested) && v.Why == result.Invalid:
				return Cell{result.Invalid, v.Short()}
			default:
				return Cell{v.Status, v.Short()}
			}
		}
	}
	return Cell{string(claim.Untested), string(claim.Untested)}
}

// count says on how many machines a claim holds and fails; of a machine with several answers that differ, neither.
func (b builder) count(cells []Cell) string {
	of := map[string][]string{}
	for i, c := range cells {
		if c.Status != "" && c.Status != string(claim.Untested) && c.Status != result.Invalid {
			of[b.Machines[i].Board] = append(of[b.Machines[i].Board], c.Status)
		}
	}
	n := map[claim.Status]int{}
	for _, all := range of {
		same := !slices.ContainsFunc(all, func(s string) bool { return s != all[0] })
		if same {
			n[claim.Status(all[0])]++
		}
	}
	switch {
	case len(of) == 0:
		return "tested on no machine"
	case n[claim.Holds] == 0 && n[claim.Fails] == 0:
		return fmt.Sprintf("undecided on %d of %d machines", len(of), len(of))
	case n[claim.Fails] == 0:
		return fmt.Sprintf("holds on %d of %d machines", n[claim.Holds], len(of))
	case n[claim.Holds] == 0:
		return fmt.Sprintf("fails on %d of %d machines", n[claim.Fails], len(of))
	}
	return fmt.Sprintf("holds on %d of %d machines, fails on %d", n[claim.Holds], len(of), n[claim.Fails])
}

// about returns a claim about machines, and the study's part that has it; nil of any other claim.
func (b builder) about(study, id string) (*language.Claim, *result.Suite) {
	for _, m := range b.Machines {
		s := b.suite(m, study)
		if s == nil || s.Study == nil {
			continue
		}
		for i := range s.Study.Claims {
			if c := &s.Study.Claims[i]; c.ID == id && c.Kind == language.Across {
				return c, s
			}
		}
	}
	return nil, nil
}
