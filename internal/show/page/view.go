package page

import (
	"cmp"
	"fmt"
	"html/template"
	"path/filepath"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/malloc/latency"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/text"
)

// A view is what the template shows.
type view struct {
	embedded
	Title    string
	Heading  string
	Sides    *sidesView    // of memcost compare; nil of everything else
	Front    *frontView    // nil of a comparison
	Machines template.HTML // what several machines say together
	Runs     []runView
	Studies  []studyView
	Busy     []string // of which runs the machine was
	Warnings []string // of several runs: what they have to do with each other
	Data     template.JS
	Warned   int  // how many warnings the runs have
	Judged   bool // there are claims
	Marked   bool // and verdicts that do not stand when everything is counted together

	sets        []set
	index       map[setKey]int
	comparisons []compare.Comparison
	same        map[compare.Part]string // what a suite is called that several answers have under different names
}

// A set is one data set: an arm of a run, or what others published.
type set struct {
	Label     string  `json:"label"`
	Machine   string  `json:"machine"`
	Go        string  `json:"go"`
	Arm       string  `json:"arm"`
	Published bool    `json:"published"`
	Caches    []cache `json:"caches,omitempty"`
}

type cache struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// setKey finds a set: run −1 is nobody's run, but published.
type setKey struct {
	run  int
	name string
}

type runView struct {
	Name     string // of the machine
	Facts    []fact
	Findings []machine.Finding // that warn
	Warnings []string
	RealTime *realTimeView
}

// A realTimeView is which settings are fit for real time.
type realTimeView struct {
	Rule string
	latency.RealTime
}

// suiteName returns what a suite is called on the page.
func (v *view) suiteName(run int, name string) string {
	return cmp.Or(v.same[compare.Part{Answer: run, Suite: name}], name)
}

// addSets numbers the data sets: the arms of the runs first, then what others
// published, each once.
func (v *view) addSets(answers []*result.Answer) {
	for i, a := range answers {
		for _, arm := range a.Arms {
			name := v.machineName(answers, i)
			s := set{Label: arm.Name, Machine: name, Go: arm.Toolchain,
				Arm: strings.TrimSpace(strings.TrimPrefix(arm.Name, arm.Toolchain)), Caches: caches(a.Machine)}
			if a.Kind == result.File && arm.Toolchain == "" && len(a.Arms) == 1 {
				s.Arm = "" // it is called after the file
			}
			if len(answers) > 1 {
				s.Label = runLabel(answers, i, name)
				if a.Kind == result.Run || len(a.Arms) > 1 {
					s.Label += " · " + arm.Name
				}
			}
			v.index[setKey{i, arm.Name}] = len(v.sets)
			v.sets = append(v.sets, s)
		}
	}
	for _, a := range answers {
		for _, s := range a.Suites {
			for _, c := range s.Claims {
				for _, x := range c.Verdicts {
					if x.Published {
						v.published(x.Data)
					}
				}
			}
			for _, p := range s.Pictures {
				for _, x := range p.Sets {
					if x.Published {
						v.published(x.Data)
					}
				}
			}
		}
	}
}

func (v *view) published(name string) {
	key := setKey{-1, name}
	if _, known := v.index[key]; !known {
		v.index[key] = len(v.sets)
		short, _, _ := strings.Cut(name, " (")
		v.sets = append(v.sets, set{Label: short + ", published", Machine: name, Published: true})
	}
}

// at finds the set of a run's data.
func (v *view) at(run int, name string, published bool) int {
	if published {
		run = -1
	}
	if i, ok := v.index[setKey{run, name}]; ok {
		return i
	}
	return -1
}

// machineName names the machine of a run among the others: by its CPU where that
// tells them apart, else also by the run folder.
func (v *view) machineName(answers []*result.Answer, run int) string {
	name := func(a *result.Answer) string {
		if a.Machine.CPUModel != "" {
			return a.Machine.CPUModel
		}
		return filepath.Base(a.Dir)
	}
	for i, a := range answers {
		if i != run && name(a) == name(answers[run]) {
			return name(answers[run]) + " · " + filepath.Base(answers[run].Dir)
		}
	}
	return name(answers[run])
}

// runLabel returns the name of a run's machine; where all runs are of one machine, the
// run's own.
func runLabel(answers []*result.Answer, run int, machineName string) string {
	for _, a := range answers {
		if a.Machine.CPUModel != answers[run].Machine.CPUModel {
			return machineName
		}
	}
	return filepath.Base(answers[run].Dir)
}

func caches(m machine.Fingerprint) []cache {
	var out []cache
	for _, c := range m.Caches {
		if c.Type != "Instruction" && c.Bytes > 0 {
			out = append(out, cache{"L" + strconv.Itoa(c.Level), c.Bytes})
		}
	}
	return out
}

func newRun(a *result.Answer, name string) runView {
	m := a.Machine
	r := runView{Name: name, Warnings: a.Warnings}
	if a.RealTime != nil {
		r.RealTime = &realTimeView{a.RealTime.Rule(), *a.RealTime}
	}
	add := func(name, format string, args ...any) {
		r.Facts = append(r.Facts, fact{name, fmt.Sprintf(format, args...)})
	}
	switch {
	case m.OS == "":
	case m.CPUs == 0:
		add("machine", "%s/%s", m.OS, m.Arch)
	default:
		add("machine", "%d CPUs, %s, %s/%s", m.CPUs, units.Quantity(float64(m.MemoryBytes), "B/op"), m.OS, m.Arch)
	}
	if m.Virtualization != "" {
		add("virtualization", "%s", m.Virtualization)
	}
	if cs := caches(m); len(cs) > 0 {
		var say []string
		for _, c := range cs {
			say = append(say, c.Name+" "+units.Quantity(float64(c.Bytes), "B/op"))
		}
		add("caches", "%s", strings.Join(say, ", "))
	}
	if a.CertificateSays != "" {
		add("certificate", "%s", a.CertificateSays)
	}
	var arms []string
	for _, x := range a.Arms {
		arms = append(arms, x.Name)
	}
	if a.Kind == result.File {
		add("file", "%s, %d samples", a.Dir, a.Samples)
	} else {
		add("configurations", "%s", strings.Join(arms, ", "))
	}
	if !a.Created.IsZero() {
		add("measured", "%s", a.Created.Format("2006-01-02 15:04 MST"))
	}
	if a.Rounds > 0 {
		add("samples", "%d in %s, each in a fresh process", a.Samples, text.Rounds(a))
		add("rounds", "%s", a.Excluded())
		if s := a.Together.String(); s != "" {
			add("verdicts", "%s", s)
		}
		if s := a.Resting(); s != "" {
			add("evidence", "%s", s)
		}
		add("loops", "share of run time in benchmark loops %s", text.LoopTime(a))
	}
	if len(a.NoiseFloor) > 0 {
		add("noise floor", "%s", text.NoiseSays)
	}
	for _, n := range a.NoiseFloor {
		add("noise floor", "%s", text.NoiseSentence(n))
	}
	if a.Kind == result.Run {
		for _, f := range machine.Assess(m, machine.Probe{}) {
			if f.Level >= machine.Warn {
				r.Findings = append(r.Findings, f)
			}
		}
	}
	return r
}
