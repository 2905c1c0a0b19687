package cli

import (
	"context"
	"fmt"
	"go/version"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/plan"
	"memcost/internal/result"
	"memcost/internal/toolchain"
	"memcost/published"
	"memcost/study"
)

// chooseArms finds the toolchains, and multiplies them by the settings.
func (s *session) chooseArms(ctx context.Context) error {
	var versions []string
	if s.hasGo() {
		var err error
		if versions, err = s.versions(ctx); err != nil {
			return err
		}
	}
	var last error
	for _, v := range versions {
		s.progress.step("finding Go " + v)
		var tc toolchain.Toolchain
		var err error
		if v == "local" {
			tc, err = s.finder.Local(ctx)
		} else {
			tc, err = s.finder.Find(ctx, v)
		}
		if err != nil {
			if len(versions) == 1 || ctx.Err() != nil {
				return err
			}
			last = err
			s.leftOut("Go %s: %v", v, err)
			continue
		}
		s.addArms(tc)
	}
	if s.hasGo() && len(s.question.Plan.Arms) == 0 {
		return last
	}
	if err := s.fitSuites(); err != nil {
		return err
	}
	return s.addCompiler(ctx)
}

func (s *session) addArms(tc toolchain.Toolchain) {
	p := &s.question.Plan
	if slices.ContainsFunc(p.Arms, func(a plan.Arm) bool { return a.Name == tc.Version }) {
		return
	}
	p.Arms = append(p.Arms, plan.Arm{Name: tc.Version, Toolchain: tc.Version})
	s.tools = append(s.tools, tc)
	for _, v := range s.flags.vary {
		arm := plan.Arm{Name: tc.Version + " " + v, Toolchain: tc.Version}
		if strings.HasPrefix(v, "-") {
			arm.Flags = []string{v}
		} else {
			arm.Env = []string{v}
		}
		p.Arms = append(p.Arms, arm)
		s.tools = append(s.tools, tc)
	}
}

// oldestGo is the first whose compiler and runtime memcost reads and changes.
const oldestGo = "go1.13"

// versions expands --go.
func (s *session) versions(ctx context.Context) ([]string, error) {
	var out []string
	for v := range strings.SplitSeq(s.flags.goVersions, ",") {
		switch v = strings.TrimSpace(v); v {
		case "":
		case "published":
			sets, err := result.ReadPublished(published.FS)
			if err != nil {
				return nil, err
			}
			for _, x := range s.question.Plan.Suites {
				for _, d := range sets {
					if d.Suite == x.Name {
						out = append(out, strings.TrimPrefix(d.Toolchain, "go"))
					}
				}
			}
			if len(out) == 0 {
				return nil, usage("name a version: --go 1.25.4", "--go published: nobody published figures of what is to be run")
			}
		case "all":
			all, err := s.finder.Versions(ctx)
			if err != nil {
				return nil, err
			}
			for minor := 13; minor < 100; minor++ {
				if v := toolchain.LastPatch(all, fmt.Sprintf("go1.%d", minor)); v != "" {
					out = append(out, v)
				}
			}
		default:
			if full := "go" + strings.TrimPrefix(v, "go"); version.IsValid(full) && version.Compare(full, oldestGo) < 0 {
				return nil, usage("name a later one, as in --go 1.13,1.27", "--go %s: %s is the oldest that memcost knows", v, strings.Replace(oldestGo, "go", "Go ", 1))
			}
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return nil, usage("for example --go 1.25.4,1.27.4", "--go %q names no version", s.flags.goVersions)
	}
	return compact(out), nil
}

func compact(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// fitSuites keeps each study to the toolchains that are new enough for it.
func (s *session) fitSuites() error {
	p := &s.question.Plan
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return err
	}
	for i := range p.Suites {
		x := &p.Suites[i]
		st := find(studies, x.Name)
		if !x.Shipped || st == nil || st.OldestGo == "" {
			continue
		}
		arms := []int{}
		for a, arm := range p.Arms {
			if version.Compare(arm.Toolchain, "go"+st.OldestGo) >= 0 {
				arms = append(arms, a)
			} else {
				s.leftOut("%s on %s: it needs Go %s", x.Name, arm.Name, st.OldestGo)
			}
		}
		x.Arms = arms
	}
	return s.dropEmpty()
}

// dropEmpty removes the suites that no arm can run.
func (s *session) dropEmpty() error {
	p := &s.question.Plan
	p.Suites = slices.DeleteFunc(p.Suites, func(x plan.Suite) bool { return x.Arms != nil && len(x.Arms) == 0 })
	if len(p.Suites) == 0 {
		return usage("memcost list says which Go each study needs", "no suite can run on %s", s.flags.goVersions)
	}
	return nil
}

// findTools finds the toolchains of a resumed run.
func (s *session) findTools(ctx context.Context) error {
	for i, a := range s.question.Plan.Arms {
		if s.isCompiler(i) {
			tc, err := s.compilerAgain(ctx, a)
			if err != nil {
				return err
			}
			s.tools = append(s.tools, tc)
			continue
		}
		tc, err := s.finder.Local(ctx)
		if err != nil {
			return err
		}
		if tc.Version != a.Toolchain {
			if tc, err = s.finder.Find(ctx, a.Toolchain); err != nil {
				return err
			}
		}
		s.tools = append(s.tools, tc)
	}
	return nil
}
