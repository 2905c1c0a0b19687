package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/cliffs"
	"memcost/internal/proc"
	"memcost/internal/sample"
)

// A cliffHunt is one invocation of memcost run malloc --cliffs.
type cliffHunt struct {
	*session
	options  cliffs.Options
	settings []cliffs.Setting // all of them; those that are done are not searched again
	done     map[string]bool
	began    time.Time
	searched int // in this invocation
}

func (a *app) newCliffHunt(ctx context.Context, f *runFlags) (*cliffHunt, error) {
	s, err := a.newSession(f)
	if err != nil {
		return nil, err
	}
	c := &cliffHunt{session: s, done: map[string]bool{}}
	if f.resume != "" {
		err = c.again()
	} else {
		err = c.anew()
	}
	if err == nil {
		err = c.prepare(ctx)
	}
	if err != nil || f.dryRun {
		return c, err
	}
	if f.resume == "" {
		if err := c.makeFolder(c.question.Machine.Hostname, time.Now()); err != nil {
			return c, withHint("name another place with --results DIR", err)
		}
	}
	return c, c.folder.WriteQuestion(c.question)
}

func (c *cliffHunt) anew() error {
	if err := sample.CheckPattern(c.flags.bench); err != nil {
		return usage("regular expressions as in go test -bench: https://pkg.go.dev/regexp/syntax", "%w", err)
	}
	var err error
	if c.question, err = c.app.recordsQuestion(cliffs.Study, cliffMode.command, c.flags.bench); err != nil {
		return err
	}
	return nil
}

func (c *cliffHunt) again() error {
	err := cliffMode.reopen(c.session, func(r *benchfmt.Result) {
		if name, ok := cliffs.Done(r); ok {
			c.done[name] = true
		}
	})
	if err != nil {
		return err
	}
	first, _ := begun(c.question, "cliffs")
	first = cmp.Or(first, cliffRange)
	if asked := c.flags.cliffs; asked != cliffRange && asked != first {
		return usage("begin a search of its own", "--cliffs=%s cannot be changed by --resume: the search began with %s", asked, first)
	}
	c.flags.cliffs = first
	return nil
}

// prepare builds the program and chooses the settings.
func (c *cliffHunt) prepare(ctx context.Context) error {
	smallest, largest, err := readCliffRange(c.flags.cliffs)
	if err != nil {
		return err
	}
	program, st, err := c.buildMalloc(ctx)
	if err != nil {
		return err
	}
	if err := c.choose(st); err != nil {
		return err
	}
	if n, ok := memory(); ok {
		largest = max(smallest, min(largest, n/memoryShare))
	}
	c.options = cliffs.Options{Program: program, Runner: c.runner, Env: proc.CleanEnv(os.Environ(), cleared...),
		Smallest: smallest, Largest: largest, MayLock: mayLock(), Found: c.record, Log: c.say}
	return nil
}

// memoryShare is the part of the memory at hand that one block may take: the program
// holds one, and a child that counts its calls holds another.
const memoryShare = 4

// choose turns the study's variants into settings: each way to run the program once,
// whatever else the variants differ in, and those that --bench names.
func (c *cliffHunt) choose(st *catalog.Study) error {
	seen := map[string]bool{}
	st.Variants = slices.DeleteFunc(slices.Clone(st.Variants), func(v catalog.Variant) bool {
		way := strings.Join(slices.Concat(v.Env, v.Args), "\x00")
		leave := seen[way]
		seen[way] = true
		return leave
	})
	if err := c.chooseVariants(st); err != nil {
		return err
	}
	for _, v := range c.variants(st) {
		c.settings = append(c.settings, cliffs.Setting{Name: v.Keys, Args: v.Args, Env: v.Env})
	}
	if len(c.settings) == 0 {
		return errors.New("none of the settings can be tried here")
	}
	return nil
}

// find searches the settings that are not done.
func (c *cliffHunt) find(ctx context.Context) error {
	c.began = time.Now()
	for _, s := range c.settings {
		if !c.done[s.Name] {
			c.options.Settings = append(c.options.Settings, s)
		}
	}
	return cliffs.Find(ctx, c.options)
}

// record keeps what was found about a setting as soon as it is there.
func (c *cliffHunt) record(f cliffs.Finding) error {
	c.searched++
	c.done[f.Setting.Name] = true
	if f.Failed != "" {
		c.progress.note("warning: " + f.Failed)
	}
	arm := c.question.Plan.Arms[0]
	for _, r := range f.Results() {
		if at, ok := r.ConfigIndex("study"); ok { // a run folder of before has another name
			r.Config[at].Value = []byte(c.question.Plan.Suites[0].Name)
		}
		for _, kv := range append(header(c.question), [2]string{"toolchain", arm.Toolchain}, [2]string{"arm", arm.Name}) {
			r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
		}
		if err := c.folder.Append(r); err != nil {
			return err
		}
	}
	return nil
}

// say tells how far the search has come. Settings take about the same time each.
func (c *cliffHunt) say(what string, share float64) {
	open := c.options.Settings
	if c.searched >= len(open) {
		return
	}
	s := fmt.Sprintf("%s: %s (setting %d of %d", open[c.searched].Name, what, c.searched+1, len(open))
	if done := float64(c.searched) + share; done > 0.05 {
		left := time.Duration(float64(time.Since(c.began)) / done * (float64(len(open)) - done))
		s += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	c.progress.step(s + ")")
}
