package result

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
)

// Read computes the answer of a run folder.
func Read(dir string, o Options) (*Answer, error) {
	src, err := store.ReadRun(dir)
	if err != nil {
		return nil, err
	}
	return ReadFrom(src, o)
}

// ReadFrom computes the answer of a run.
func ReadFrom(src store.Source, o Options) (*Answer, error) {
	q, dir := src.Question, src.Name
	if err := q.Check(); err != nil {
		return nil, store.Unusable(dir, err)
	}
	studies, err := claim.Studies(q)
	if err != nil {
		return nil, store.Unusable(dir, err)
	}
	if q.Recorded != "" {
		return readRecords(src, studies, o)
	}
	extra := []string{series.UnitCPU}
	for _, s := range studies {
		extra = append(extra, claim.Units(s.Written)...)
	}
	if ofSettings(&q.Plan) {
		extra = append(extra, series.UnitRSS)
	}
	set := series.New(q.Plan.GroupOf(), append(extra, compared(&q.Plan)...)...)
	if o.Samples || len(q.Plan.Sides) > 1 || q.OfHeld() != nil {
		set.KeepReported()
	}
	warnings, err := src.Samples(func(r *benchfmt.Result) error { set.Add(r); return nil })
	if err != nil {
		return nil, err
	}
	if units := compared(&q.Plan); len(units) > 0 {
		for _, s := range set.All() {
			s.Derive(series.UnitCPU, series.UnitUser, series.UnitSys)
		}
	}
	a := answerOf(q, cmp.Or(q.Joined, dir), Run)
	a.Rounds, a.Least, a.Samples = set.Rounds(), leastRounds(set), set.Samples
	a.Disturbed, a.Unfit, a.Busy = figures.Number(set.DisturbedShare()), set.Unfit(), busy(set)
	a.Voids, a.ComparisonRounds, a.Question, a.Set = list(set.Disturbed()), set.ComparisonRounds(), q, set
	if q.NothingDiffers() { // it needs no sample
		return a, nil
	}
	for _, w := range warnings {
		a.warn("%v", w)
	}
	const most = 20 // as many as of other damage
	file := filepath.Join(dir, store.SamplesFile)
	for i, line := range set.Bare {
		if i == most {
			a.warn("%s: %d more such lines", file, len(set.Bare)-i)
			break
		}
		a.warn("%s line %d: passed over: it has no figure of its benchmark", file, line)
	}
	if n := set.Damaged; n > 0 {
		a.warn("%s ignored: the number of their round is impossible", units.Plural(n, "sample"))
	}
	if w := notReached(&q.Plan, dir); w != "" {
		a.warn("%s", w)
	}
	a.Took = took(set.All()...)
	a.noise(set, q)
	var each []judgedStudy
	var judged [][]*claim.Judged
	for i, s := range claim.Pooled(studies, set) {
		var files []claim.File
		if o.Published != nil {
			files = o.Published(s.Name)
		}
		x := a.judge(i, s, set, q, files)
		each, judged = append(each, x), append(judged, x.judged)
	}
	claim.Discover(judged, a.Options.Alpha)
	for _, x := range each {
		a.Studies = append(a.Studies, a.judgedStudy(x, set, q, o))
	}
	a.count()
	a.judgeMachine(set)
	return a, nil
}

// answerOf returns what a run's question says of its answer, of a kind.
func answerOf(q *plan.Question, dir, kind string) *Answer {
	a := &Answer{Format: Format, Kind: kind, Tool: q.Tool, Dir: dir, Created: q.Created, Command: q.Command,
		Certificate: q.Certificate, CertificateSays: q.Certificate.Sentence(), Source: q.Source, Label: q.Label,
		Machine: q.Machine, Options: q.Plan.Options, Sides: q.Plan.Sides, Voids: []series.Void{},
		Took: took(), NoiseFloor: []Noise{}, Studies: []Study{}, Warnings: []string{}}
	if p := &q.Plan; len(p.Missing) > 0 {
		a.Planned = len(p.Cases)
		for _, c := range p.Cases {
			if slices.Contains(p.Missing, c.Group) {
				a.Missing++
			}
		}
	}
	for _, w := range slices.Concat(q.Warnings, q.LeftOut) {
		a.warn("%s", w)
	}
	return a
}

// compared returns the units of processes that are compared where the configurations are
// commands, of which nothing else is known.
func compared(p *plan.Plan) []string {
	if !slices.ContainsFunc(p.Sides, func(a plan.Side) bool { return a.Command != "" }) {
		return nil
	}
	return []string{series.UnitUser, series.UnitSys, series.UnitRSS, series.UnitMinorFaults, series.UnitMajorFaults,
		series.UnitVoluntary, series.UnitInvoluntary}
}

// ofSettings reports whether configurations differ in their environment: what a setting such as GOGC=off saves in time
// it may cost in memory.
func ofSettings(p *plan.Plan) bool {
	return p.Has(plan.GoTest) && slices.ContainsFunc(p.Sides, func(a plan.Side) bool { return !slices.Equal(a.Env, p.Sides[0].Env) })
}

// noise compares each A′ with its side.
func (a *Answer) noise(set *series.Set, q *plan.Question) {
	for _, s := range set.All() {
		if s.Role != string(plan.Double) {
			continue
		}
		id := s.ID
		id.Role = ""
		d := set.Paired(s, set.Get(id), "sec/op")
		if len(d) == 0 {
			continue
		}
		data := &claim.Data{Set: set, Alpha: a.Options.Alpha, Looks: q.Plan.JudgedAt()}
		abs := make([]float64, len(d))
		for i := range d {
			abs[i] = math.Abs(d[i])
		}
		ratio := data.Ratio(s, set.Get(id), "sec/op")
		f := figure(ratio, "")
		a.NoiseFloor = append(a.NoiseFloor, Noise{
			Study:  s.Study,
			Case:   s.Case,
			Ratio:  f,
			Spread: figures.Number(stat.Median(abs)),
			Alarm:  f.Bounded() && (f.Lo > 1 || f.Hi < 1), // of the interval that is shown
		})
	}
}

func (a *Answer) judgeMachine(set *series.Set) {
	switch {
	case !set.Unfit():
	case set.DisturbedShare() <= series.MaxVoidShare:
		a.warn("other programs used %.0f%% of a CPU over the run, in rounds that are too short to tell which of them "+
			"suffered: run again when the other programs have ended (memcost doctor says what it sees of them)",
			100*set.ForeignShare())
	default:
		a.warn("%.0f%% of the rounds met the rule for exclusion, and above %.0f%% no more are excluded, for the "+
			"others would be no better: run again when the other programs have ended (memcost doctor says what it "+
			"sees of them)",
			100*set.DisturbedShare(), 100*series.MaxVoidShare)
	}
	own := map[string]int{}
	for _, v := range a.Voids {
		if v.Own {
			own[v.Side]++
		}
	}
	for _, side := range slices.Sorted(maps.Keys(own)) {
		a.warn("%s: %s met the rule for exclusion while it ran, and hardly any while the other side of its comparison "+
			"did: it seems to cause that itself, so that they count", side, units.Plural(own[side], "round"))
	}
	alone := a.Question.OfHeld() != nil && len(a.Sides) == 1 // nothing is to be decided of it
	if least := a.Question.Plan.LeastRounds(); a.Rounds < least && !alone {
		goOn := fmt.Sprintf("memcost %s --resume %s --budget TIME", begunBy(a.Question), a.Dir)
		if a.Question.Joined != "" {
			goOn = "memcost run --plan plan.json --shard i/n --to PLACE, which adds an attempt"
		}
		a.warn("%s: nothing can be decided before round %d at α = %g; go on with: %s", units.Plural(a.Rounds, "round"),
			least, a.Options.Alpha, goOn)
	}
}

// begunBy returns the command that began a run, and goes on with it.
func begunBy(q *plan.Question) string {
	if q != nil && q.Comparison != nil {
		if q.OfHeld() != nil {
			return "held"
		}
		if q.Comparison.Alloc != nil {
			return "alloc"
		}
		return "compare"
	}
	return "run"
}

// leastRounds is the number of rounds that the case with the fewest has, of those with a result.
func leastRounds(set *series.Set) int {
	least := 0
	for _, s := range set.All() {
		if n := len(s.Rounds); s.Role == "" && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
