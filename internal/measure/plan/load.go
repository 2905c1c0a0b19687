package plan

import (
	"slices"
	"strconv"
	"strings"
)

// BusyKey is the key of a case's name that says how many cores are kept busy beside it.
const BusyKey = "busy"

// AllBusy is the load that keeps as many cores busy as there are.
const AllBusy = "all"

// Spinning returns the number of processes that keep a core busy each for a load ("0",
// "1", "all") on a machine with so many CPUs. It is not ok for anything else.
func Spinning(load string, cpus int) (n int, ok bool) {
	if load == AllBusy {
		return max(cpus, 1), true
	}
	n, err := strconv.Atoi(load)
	return n, err == nil && strconv.Itoa(n) == load && n >= 0 && n <= MostSpinning
}

// Beside returns the case beside a load, on a machine with so many CPUs.
func (c Case) Beside(load string, cpus int) Case {
	suffix := strings.TrimPrefix(c.Name, c.Base)
	first, rest, more := strings.Cut(c.Base, "/")
	c.Name = first + "/" + BusyKey + "=" + load
	if more {
		c.Name += "/" + rest
	}
	c.Name += suffix
	c.Busy = load
	c.Spinning, _ = Spinning(load, cpus)
	return c
}

// Printed returns the case's name as its program prints it, which knows nothing of a load
// beside it.
func (c Case) Printed() string {
	if c.Busy == "" {
		return c.Name
	}
	return strings.Replace(c.Name, "/"+BusyKey+"="+c.Busy, "", 1)
}

// NamesOf returns the names that the cases of a benchmark have, or would have if it did
// not fail: with the GOMAXPROCS of its study's other cases, and beside the loads that are
// asked for, by the user or, as far as others of its cases tell, by its study.
func NamesOf(p *Plan, study int, base string) []string {
	missing := Case{Name: base, Base: base}
	loads := slices.Clone(p.Options.Load)
	first, _, _ := strings.Cut(base, "/")
	for _, c := range p.Cases {
		if c.Study != study {
			continue
		}
		if missing.Name == base {
			missing.Name += strings.TrimPrefix(c.Printed(), c.Base)
		}
		if of, _, _ := strings.Cut(c.Base, "/"); of == first && c.Busy != "" && !slices.Contains(loads, c.Busy) {
			loads = append(loads, c.Busy)
		}
	}
	if len(loads) == 0 {
		return []string{missing.Name}
	}
	var out []string
	for _, l := range loads {
		out = append(out, missing.Beside(l, 1).Name)
	}
	return out
}

// Code says what runs in a case, without what it is run with: cases with the same Code are
// configurations of the same case. They differ in GOMAXPROCS, in the load beside them, or
// in the variant of a C++ program. What a benchmark itself does differently (a size, a
// place, a number of goroutines) is other code.
func (p *Plan) Code(c Case) string {
	study := p.Studies[c.Study]
	if c.Call == "" {
		return study.Name + " " + c.Base
	}
	settings := map[string]bool{}
	for _, v := range study.Variants {
		for part := range strings.SplitSeq(v.Keys, "/") {
			key, _, _ := strings.Cut(part, "=")
			settings[key] = true
		}
	}
	parts := slices.DeleteFunc(strings.Split(c.Call, "/"), func(part string) bool {
		key, _, ok := strings.Cut(part, "=")
		return ok && settings[key]
	})
	return study.Name + " " + strings.Join(parts, "/")
}
