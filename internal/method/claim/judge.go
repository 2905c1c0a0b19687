package claim

import (
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// Judged holds the results of one study on one arm, or of one published data set: the
// valid cases and the verdicts.
type Judged struct {
	*Data
	Verdicts []Verdict // parallel to the study's claims
	Changes  []Change  // against the first arm: see Discover
}

// Study holds what JudgeArms needs of a study.
type Study struct {
	Name    string // as in the samples' study: line
	Written *language.Study
	Heap    func(arm string) HeapUse // nil when there are no diagnostics

	Machine  string                       // its kind: the model of its CPU
	Absent   func(arm string) []Absence   // cases that were not measured on an arm; nil: none
	Selected bool                         // -b chose the cases
	Code     func(caseName string) string // as Data.Code
	Pool     Pool                         // of the run: see Pooled
	Setup    Setup
	Margin   float64 // as Data.Margin
	Looks    stat.Looks
	PerLink  float64 // as Data.PerLink
	// FixedLinks is that of Data.
	FixedLinks bool
}

// Pooled adds to each study what all comparisons of its run say together.
func Pooled(studies []Study, set *series.Set) []Study {
	cases := map[[2]string][]*series.Series{} // by study and arm
	var order [][2]string
	for _, sr := range set.All() {
		if sr.Role == "" && len(sr.Rounds) > 0 {
			at := [2]string{sr.Study, sr.Side}
			if cases[at] == nil {
				order = append(order, at)
			}
			cases[at] = append(cases[at], sr)
		}
	}
	pool := Pool{pairs: map[[2]*series.Series]bool{}}
	for _, s := range studies {
		for _, at := range order {
			if at[0] != s.Name {
				continue
			}
			for _, p := range RatioPairs(s.Written, cases[at]) {
				pool.add(set, p, s.Looks)
			}
		}
	}
	out := slices.Clone(studies)
	for i := range out {
		out[i].Pool = pool
	}
	return out
}

// JudgeArms guards and judges a study on every arm of a run. published may be empty;
// claims across machines are judged against it.
func JudgeArms(s Study, set *series.Set, arms []string, alpha float64, published []*Judged) []*Judged {
	var out []*Judged
	for _, arm := range arms {
		j := &Judged{Data: &Data{Name: arm, Machine: s.Machine, Set: set, Alpha: alpha, Busy: set.Unfit(),
			Selected: s.Selected, Code: s.Code, Pool: s.Pool, Setup: s.Setup, Margin: s.Margin, Looks: s.Looks, PerLink: s.PerLink,
			FixedLinks: s.FixedLinks}}
		if s.Absent != nil {
			j.Absent = s.Absent(arm)
		}
		for _, sr := range set.All() {
			switch {
			case sr.Study != s.Name || sr.Side != arm || sr.Role != "":
			case len(sr.Rounds) > 0:
				j.Cases = append(j.Cases, sr)
			default:
				j.Absent = append(j.Absent, Absence{sr.Case, Failed})
			}
		}
		slices.SortStableFunc(j.Cases, func(a, b *series.Series) int { return NaturalOrder(a.Case, b.Case) })
		var heap HeapUse
		if s.Heap != nil {
			heap = s.Heap(arm)
		}
		Guard(s.Written, j.Data, heap)
		j.judge(s.Written, published)
		out = append(out, j)
	}
	return out
}

func (j *Judged) judge(st *language.Study, published []*Judged) {
	for _, c := range st.Claims {
		if c.Kind != language.Across {
			j.Verdicts = append(j.Verdicts, Judge(c, j.Data))
			continue
		}
		var others []*Data
		for _, p := range published {
			if p.Data != j.Data {
				others = append(others, p.Data)
			}
		}
		j.Verdicts = append(j.Verdicts, Across(c, j.Data, others))
	}
}

// Judge applies a claim to a data set. Claims across machines need several data
// sets: see Across.
func Judge(c language.Claim, d *Data) Verdict {
	v := Verdict{Claim: c.ID, Data: d.Name, Deciding: -1}
	switch c.Kind {
	case language.Ratio:
		v.ratio(c, d)
	case language.Value:
		v.value(c, d)
	case language.Linear:
		v.linear(c, d)
	default:
		v.Status, v.Notes, v.Why = Untested, []string{"it compares machines"}, NoMachine
		return v
	}
	v.conclude(d.Alpha)
	return v
}

// A File is a data set of figures that were not taken in rounds: one result for
// each case.
type File struct {
	Name    string
	Machine string // its kind; "" is the name
	Results []*benchfmt.Result
	// Times holds, by case, times that have an interval of their own from another tool.
	// It is shown beside them; they are judged by their centre all the same.
	Times map[string]Estimate
}

// JudgePublished judges a study on figures that others published of it. Only the figures
// are used: their scatter is unknown.
func JudgePublished(st *language.Study, files []File) []*Judged {
	out := ofFigures(st, files)
	for _, j := range out {
		j.Published = true
	}
	for _, j := range out {
		j.judge(st, out)
	}
	return out
}

// JudgeFigures judges a study on the user's own figures, in the same way: the medians of
// a file whose samples were not taken in rounds. Claims across machines are judged
// against published.
func JudgeFigures(st *language.Study, files []File, published []*Judged) []*Judged {
	out := ofFigures(st, files)
	for _, j := range out {
		j.judge(st, published)
	}
	return out
}

func ofFigures(st *language.Study, files []File) []*Judged {
	var out []*Judged
	for _, f := range files {
		set := series.New(nil, Units(st)...)
		for _, r := range f.Results {
			set.Add(r)
		}
		d := &Data{Name: f.Name, Machine: f.Machine, Single: true, Set: set, Cases: slices.Clone(set.All()),
			known: map[subject]Estimate{}}
		for _, c := range d.Cases {
			if e, ok := f.Times[c.Case]; ok {
				d.known[subject{c, nil, "sec/op"}] = e
			}
		}
		Guard(st, d, nil)
		out = append(out, &Judged{Data: d})
	}
	return out
}

// Units returns the units in a study's directives: those whose every value must be kept, and
// the place of a sample in its round.
func Units(st *language.Study) []string {
	units := []string{"sec/op", "B/op", "allocs/op", series.UnitOrder, series.UnitCPU}
	add := func(u, perKey string) {
		if u != "" && perKey == "" {
			units = append(units, u)
		}
	}
	for _, e := range st.Expects {
		add(e.Unit, "")
	}
	for _, c := range st.Claims {
		add(c.Unit, c.PerKey)
	}
	for _, t := range st.Tabulated() {
		for _, c := range t.Columns {
			add(c.Unit, c.PerKey)
		}
	}
	return units
}

// Sides returns those of the cases that stand on the two sides of a claim on a ratio; they
// may have no sample yet.
func Sides(c language.Claim, cases []*series.Series) (num, den []*series.Series) {
	d := &Data{Cases: cases}
	num, _ = d.pick(c.Num)
	den, _ = d.pick(c.Den)
	return num, den
}

// RatioPairs returns the pairs of cases that some claim or table of the study
// compares. Their samples must be taken side by side.
func RatioPairs(st *language.Study, cases []*series.Series) []Pair {
	d := &Data{Cases: cases}
	var pairs []Pair
	add := func(num, den language.Selector, every []string) {
		n, _ := d.pick(num)
		m, _ := d.pick(den)
		// An ambiguous pairing is reported when the claim is judged.
		ps, _, _ := Match(n, m, every, PairingNamed(num, den)...)
		pairs = append(pairs, ps...)
	}
	for _, c := range st.Claims {
		switch c.Kind {
		case language.Ratio:
			num, den := Sides(c, cases)
			ps, _, _ := MatchClaim(c, num, den)
			pairs = append(pairs, ps...)
		case language.Across:
			add(c.Num, c.Den, []string{c.WeakKey})
		}
	}
	for _, t := range st.Tabulated() {
		for _, c := range t.Columns {
			if !c.Den.IsZero() {
				add(c.Num, c.Den, []string{t.By})
			}
		}
	}
	return pairs
}
