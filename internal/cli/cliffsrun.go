package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/cliffs"
	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/sample"
	"memcost/internal/store"
	"memcost/study"
)

// cliffsCommand stands in the run folder as what made it.
const cliffsCommand = "run malloc --cliffs"

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
	if c.question, err = c.app.recordsQuestion(cliffs.Study, cliffsCommand, c.flags.bench); err != nil {
		return err
	}
	return nil
}

func (c *cliffHunt) again() error {
	dir, q := c.flags.resume, &plan.Question{}
	if err := store.ReadQuestion(dir, q); err != nil {
		return err
	}
	switch err := q.Check(); {
	case err != nil:
		return fmt.Errorf("reading run folder %s: %s: %w", dir, store.QuestionFile, err)
	case q.Recorded != cliffsCommand:
		return withHint("go on with: memcost run --resume "+dir, fmt.Errorf("run folder %s is not one of memcost %s", dir, cliffsCommand))
	}
	c.question, c.flags.bench = q, q.Plan.Options.Bench
	asked, begun := c.flags.cliffs, begunRange(q.Command)
	if asked != cliffRange && asked != begun {
		return usage("begin a search of its own", "--cliffs=%s cannot be changed by --resume: the search began with %s", asked, begun)
	}
	c.flags.cliffs = begun
	var err error
	if c.folder, err = store.Open(dir); err != nil {
		return err
	}
	warnings, err := store.ReadSamples(dir, func(r *benchfmt.Result) error {
		if name, ok := cliffs.Done(r); ok {
			c.done[name] = true
		}
		return nil
	})
	for _, w := range slices.Concat(c.folder.Warnings, warnings) {
		c.progress.note("warning: " + w.Error())
	}
	return err
}

// begunRange is the range of a command line.
func begunRange(command []string) string {
	for _, arg := range command {
		if r, ok := strings.CutPrefix(arg, "--cliffs="); ok {
			return r
		}
	}
	return cliffRange
}

// prepare builds the program and chooses the settings.
func (c *cliffHunt) prepare(ctx context.Context) error {
	smallest, largest, err := readCliffRange(c.flags.cliffs)
	if err != nil {
		return err
	}
	tc, err := c.builder.Compiler(ctx)
	if err != nil {
		return err
	}
	if arms := c.question.Plan.Arms; len(arms) == 0 {
		c.question.Plan.Arms = []plan.Arm{{Name: tc.Version, Toolchain: tc.Version}}
	} else if arms[0].Toolchain != tc.Version {
		return withHint("begin a search of its own", fmt.Errorf("the C++ compiler is %s now, and the search was begun with %s", tc.Version, arms[0].Toolchain))
	}
	source, err := fs.Sub(study.FS, "malloc")
	if err != nil {
		return err
	}
	bin, err := c.builder.BuildCMake(ctx, source, "malloc_bench", tc)
	if err != nil {
		return err
	}
	if err := c.choose(); err != nil {
		return err
	}
	if n, ok := memory(); ok {
		largest = max(smallest, min(largest, n/memoryShare))
	}
	c.options = cliffs.Options{Program: bin.Paths[0], Runner: c.runner, Env: proc.CleanEnv(os.Environ(), cleared...),
		Smallest: smallest, Largest: largest, MayLock: mayLock(), Found: c.record, Log: c.say}
	return nil
}

// memoryShare is the part of the memory at hand that one block may take: the program
// holds one, and a child that counts its calls holds another.
const memoryShare = 4

// cliffVariants are the settings where the study names none.
var cliffVariants = []catalog.Variant{
	{Keys: "allocator=glibc/setting=default"},
	{Keys: "allocator=glibc/setting=trim0", Args: []string{"-mM_TRIM_THRESHOLD=0"}},
	{Keys: "allocator=glibc/setting=trim0-pad0", Args: []string{"-mM_TRIM_THRESHOLD=0,M_TOP_PAD=0"}},
	{Keys: "allocator=glibc/setting=mmap0", Args: []string{"-mM_MMAP_THRESHOLD=0"}},
	{Keys: "allocator=glibc/setting=lock", Args: []string{"-L"}},
	{Keys: "allocator=jemalloc/setting=default", Env: []string{"LD_PRELOAD=libjemalloc.so.2"}, Hint: "apt-get install libjemalloc2"},
	{Keys: "allocator=mimalloc/setting=default", Env: []string{"LD_PRELOAD=libmimalloc.so.2*"}, Hint: "apt-get install libmimalloc2.0"},
	{Keys: "allocator=tcmalloc/setting=default", Env: []string{"LD_PRELOAD=libtcmalloc_minimal.so.4"}, Hint: "apt-get install libtcmalloc-minimal4"},
}

// choose turns the study's variants into settings: each way to run the program once,
// whatever else the variants differ in, and those that --bench names.
func (c *cliffHunt) choose() error {
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return err
	}
	st := find(studies, "malloc")
	if len(st.Variants) == 0 {
		st.Variants = cliffVariants
	}
	only, err := regexp.Compile(c.flags.bench)
	if err != nil {
		return usage("https://pkg.go.dev/regexp/syntax", "--bench: %w", err)
	}
	var names []string
	seen := map[string]bool{}
	st.Variants = slices.DeleteFunc(slices.Clone(st.Variants), func(v catalog.Variant) bool {
		names = append(names, v.Keys)
		way := strings.Join(slices.Concat(v.Env, v.Args), "\x00")
		leave := seen[way] || !only.MatchString(v.Keys)
		seen[way] = true
		return leave
	})
	if len(st.Variants) == 0 {
		return usage("the settings are: "+strings.Join(names, ", "), "--bench %q matches no setting", c.flags.bench)
	}
	c.question.LeftOut = nil // those of an earlier part are found again
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
