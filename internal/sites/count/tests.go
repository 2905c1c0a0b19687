package count

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/sites/join"
)

// tests runs each test that is asked for in a process of its own, and counts what it allocates
// from its start to the end of all tests.
func (t *target) tests(ctx context.Context, o Options, tell *teller) error {
	top, rest, sub := strings.Cut(o.Test, "/")
	if _, err := regexp.Compile(top); err != nil {
		return hint.Usage("", "-test %q: %v", o.Test, err)
	}
	names, err := t.names(ctx, top, "Test")
	if err != nil {
		return err
	}
	for i, name := range names {
		tell.step("running "+name+" of "+t.Package.ImportPath, i, len(names), 0)
		run := "^" + regexp.QuoteMeta(name) + "$"
		if sub {
			run += "/" + rest
		}
		what := "counting what " + name + " of " + t.Package.ImportPath + " allocates"
		a, err := t.program.run(ctx, what, request{mode: "test", name: name, memory: true, plain: !t.counts,
			args: []string{"-test.run=" + run}})
		if err != nil {
			return err
		}
		t.Measured = append(t.Measured, t.tested(a, name, what))
	}
	return nil
}

func (t *target) tested(a answer, name, what string) join.Measured {
	m := join.Measured{Name: name, N: 1, Err: a.err}
	if a.err != nil {
		return m
	}
	m.Memory = a.memory
	if !t.counts {
		return m
	}
	p, ok := a.counted()
	if !ok {
		m.Memory, m.Err = nil, fmt.Errorf("%s: it did not run to its end", what)
		return m
	}
	m.Memory = withoutOwn(a.memory)
	m.Mallocs, m.Tiny, m.Bytes = p.mallocs, uint64(max(p.tiny, 0)), p.bytes
	if err := agree(what, m.Memory, p, t.Exact); err != nil && t.Exact {
		m.Err = err
	} else if err != nil {
		t.warn("%v", err)
	}
	return m
}
