package claim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// Check reports the first of the claims of the command line that is not written as one.
func Check(texts []string) error {
	for i, text := range texts {
		if _, err := parse(i, text, "C"); err != nil {
			return err
		}
		if slices.Contains(texts[:i], text) {
			return hint.Usage("give each claim once", "%s %q is given twice", Flag, text)
		}
	}
	return nil
}

// form is what a claim of the command line looks like.
const form = "--claim 'BenchmarkOld / BenchmarkNew > 1', or as in a directive: --claim 'SELECTOR / SELECTOR [UNIT] " +
	"OP BOUND [for every KEY[, KEY]]'"

// parse reads the claim number i, from 0 on, of the command line.
func parse(i int, text, id string) (language.Claim, error) {
	st, err := language.Parse("", []language.Directive{directive(i, text, id)}, &language.Show{})
	var wrong *language.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return language.Claim{}, hint.Usage(form, "%s %q: %s", Flag, text, wrong.Msg)
	case err != nil:
		return language.Claim{}, hint.Usage(form, "%s %q: %w", Flag, text, err)
	}
	return st.Claims[0], nil
}

func directive(i int, text, id string) language.Directive {
	return language.Directive{Verb: "claim", Text: id + " " + text, Pos: language.Pos{File: Flag, Line: i + 1}}
}

// Claims returns, for each suite, the claims of the command line that are about it, as
// directives with IDs of their own (claim-1), and what is to be said of cases that a claim
// leaves out. A claim is about every suite that has cases on both of its sides; one that is
// about none, or whose cases make no pairs, is an error.
func Claims(texts []string, suites []AskedStudy) (out [][]language.Directive, warnings []string, err error) {
	out = make([][]language.Directive, len(suites))
	for i, text := range texts {
		c, err := parse(i, text, "C")
		if err != nil {
			return nil, nil, err
		}
		var about []int
		var unpaired error
		for s, suite := range suites {
			alone, is, err := suite.has(c)
			switch {
			case !is:
				continue
			case err != nil:
				unpaired = err
				continue
			}
			about = append(about, s)
			if len(alone) > 0 {
				warnings = append(warnings, fmt.Sprintf("%s %q leaves out %s: the other side of the ratio has no such "+
					"case", Flag, text, some(alone)))
			}
		}
		switch {
		case len(about) == 0 && unpaired != nil:
			advice := ""
			if _, hints := hint.Split(unpaired); len(hints) == 0 { // two cases at one place
				advice = mispairing(c, suites)
			}
			return nil, nil, hint.Usage(advice, "%s %q: %w", Flag, text, unpaired)
		case len(about) == 0:
			return nil, nil, aboutNothing(text, c, suites)
		}
		for _, s := range about {
			out[s] = append(out[s], directive(i, text, freeID(i, suites[s].Study)))
		}
	}
	return out, warnings, nil
}

// freeID returns the ID of a claim of the command line, another one than those of the study.
func freeID(i int, st *language.Study) string {
	id := fmt.Sprintf("claim-%d", i+1)
	for slices.ContainsFunc(st.Claims, func(c language.Claim) bool { return c.ID == id }) {
		id = "own-" + id
	}
	return id
}

// has reports whether a claim is about a suite. alone are the cases of a ratio without a
// counterpart; the error says why nothing can be compared.
func (s AskedStudy) has(c language.Claim) (alone []*series.Series, is bool, err error) {
	for _, cases := range s.Cases {
		num, den := Sides(c, cases)
		switch {
		case len(num) == 0 || !c.Den.IsZero() && len(den) == 0:
			continue
		case c.Kind == language.Ratio:
			_, alone, err = s.pairs(c, false)
			return alone, true, err
		}
		keys := slices.Clone(c.Every)
		if c.Kind == language.Linear {
			keys = append(keys, c.LinearKey)
		}
		for _, key := range keys {
			if len(values(num, key)) == 0 {
				return nil, true, fmt.Errorf("%s %s has no key %s", askedNoun(num), some(num), key)
			}
		}
		return nil, true, nil
	}
	return nil, false, nil
}

func askedNoun(cases []*series.Series) string {
	if len(cases) == 1 {
		return "the case"
	}
	return "none of"
}

// mispairing advises how to pair the cases of a claim: by the keys that differ on a side.
func mispairing(c language.Claim, suites []AskedStudy) string {
	var keys []string
	for _, s := range suites {
		for _, cases := range s.Cases {
			num, den := Sides(c, cases)
			for _, side := range [][]*series.Series{num, den} {
				for _, key := range keysOf(side) {
					if len(values(side, key)) > 1 {
						keys = append(keys, key)
					}
				}
			}
		}
	}
	if keys = askedDistinct(keys); len(keys) == 0 {
		return ""
	}
	return "end it with: for every " + strings.Join(keys, ", ")
}
