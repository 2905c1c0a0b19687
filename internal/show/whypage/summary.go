package whypage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/show/whytext"
	"memcost/internal/sites"
)

// summary fills in what stands around the sites.
func (m *maker) summary(v *view) {
	r := m.r
	v.Answer, v.Static = r.Answer(), r.Mode == "static"
	v.Per, v.Ran = m.cells.Per(), m.cells.Ran()
	for _, p := range r.Packages {
		v.Packages = append(v.Packages, p.Path)
		for _, s := range p.Partial {
			v.Warnings = append(v.Warnings, p.Path+": "+s)
		}
	}
	v.Warnings = slices.Concat(r.Warnings, v.Warnings)
	v.Title = "memcost why: " + m.packages()
	m.benches(v)
	v.Agreement = m.cells.Agreement()
	for _, u := range r.Join.Unmatched {
		v.Unmatched = append(v.Unmatched, unmatched{whytext.Short(u.Function), place(u.File, u.Line), u.Call,
			units.Thousands(u.Objects), units.Bytes(u.Bytes)})
	}
	m.facts(v)
	v.Asked = m.o.Invocation
}

// packages names what was asked for.
func (m *maker) packages() string {
	switch n := len(m.r.Packages); {
	case n == 0:
		return "no package"
	case n <= 3:
		var names []string
		for _, p := range m.r.Packages {
			names = append(names, p.Path)
		}
		return strings.Join(names, ", ")
	default:
		return fmt.Sprintf("%d packages", n)
	}
}

func (m *maker) benches(v *view) {
	for i, b := range m.r.Benchmarks {
		v.Choices = append(v.Choices, m.cells.Bench(i))
		if b.Failed != "" {
			v.Failed = append(v.Failed, m.cells.Bench(i)+" failed: "+whytext.Sentence(b.Failed))
			continue
		}
		row := bench{m.cells.Bench(i), m.cells.Objects(b.Objects), m.cells.Size(b.Bytes), m.cells.Seconds(b.Time),
			m.cells.Share(b.Malloc), m.cells.Share(b.Assist), m.cells.Share(b.GC)}
		if len(v.Benches) < benchesOpen {
			v.Benches = append(v.Benches, row)
		} else {
			v.Further = append(v.Further, row)
		}
	}
}

// facts say what the figures are of, and how they were taken.
func (m *maker) facts(v *view) {
	r := m.r
	add := func(name, value string) {
		if value != "" {
			v.Facts = append(v.Facts, fact{name, value})
		}
	}
	add("packages", strings.Join(v.Packages, ", "))
	add("Go", strings.TrimSpace(r.Go+" "+r.Platform))
	add("revision", r.Revision)
	add("from", map[string]string{"benchmarks": "the timed parts of benchmarks, each in a process of its own",
		"tests": "tests, each in a process of its own", "profile": "a heap profile that was given",
		"static": "the compiler and the binary; nothing was run"}[r.Mode])
	if r.Mode == "static" {
		return
	}
	counted := "every object, but those of less than 16 bytes that share a block: they are shared out (≈)"
	if r.Exact {
		counted = "every object, each where it was made"
	}
	add("counted", counted)
	most := slices.MaxFunc(append([]sites.Benchmark{{}}, r.Benchmarks...), func(a, b sites.Benchmark) int {
		return cmp.Compare(a.Time.Runs, b.Time.Runs)
	})
	if most.Time.Runs > 0 {
		add("intervals", fmt.Sprintf("95%% confidence intervals over up to %s under the CPU profiler, Student's t",
			units.Plural(most.Time.Runs, "run")))
	} else {
		add("shares of CPU", "not measured")
	}
}
