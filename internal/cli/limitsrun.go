package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/limits"
	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/store"
	"memcost/internal/toolchain"
	"memcost/study"
)

// A hunt is one invocation of memcost limits.
type hunt struct {
	*session
	names   []string        // of the limits that are wanted
	missing map[string]bool // versions that have to be downloaded
	keep    bool            // what is downloaded
	cache   string
	known   []limits.Row // found by an earlier invocation
	found   int
	tried   int // of those, in this invocation
	began   time.Time
}

func (a *app) newHunt(f *limitsFlags) (*hunt, error) {
	names, err := f.wanted()
	if err != nil {
		return nil, err
	}
	s, err := a.newSession(&runFlags{goVersions: f.goVersions, results: f.results, verbose: f.verbose})
	if err != nil {
		return nil, err
	}
	return &hunt{session: s, names: names, missing: map[string]bool{}, keep: f.keepToolchains, cache: s.builder.CacheDir}, nil
}

func (a *app) beginLimits(ctx context.Context, f *limitsFlags) (*hunt, error) {
	h, err := a.newHunt(f)
	if err != nil {
		return nil, err
	}
	if err := (&runFlags{goVersions: f.goVersions}).check(func(string) bool { return false }); err != nil {
		return h, err
	}
	if h.question, err = a.recordsQuestion(limits.Study, "limits", f.only); err != nil {
		return h, err
	}
	if err := h.resolve(ctx); err != nil || f.dryRun {
		return h, err
	}
	if err := h.makeFolder(h.question.Machine.Hostname, time.Now()); err != nil {
		return h, withHint("name another place with --results DIR", err)
	}
	return h, h.folder.WriteQuestion(h.question)
}

// recordsQuestion begins a run folder for what another command than run finds.
func (a *app) recordsQuestion(name, command, bench string) (*plan.Question, error) {
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return nil, err
	}
	st := find(studies, name)
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return nil, fmt.Errorf("reading what this machine is: %w", err)
	}
	return &plan.Question{Format: plan.Format, Tool: "memcost " + Version, Created: time.Now().UTC().Truncate(time.Second),
		Command: append([]string{"memcost"}, a.args...), Machine: fp, Recorded: command,
		Plan: plan.Plan{Options: plan.Options{Profile: command, Alpha: plan.Alpha, Bench: bench},
			Suites: []plan.Suite{{Name: st.Name, Pkg: "memcost/study/" + st.Name, Shipped: true, Directives: st.Directives, Show: st.Show}}}}, nil
}

// resolve names the toolchains, oldest first, without downloading them.
func (h *hunt) resolve(ctx context.Context) error {
	h.progress.step("looking up Go versions")
	versions, err := h.versions(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, v := range versions {
		name, missing, err := h.finder.Resolve(ctx, v)
		if err != nil {
			if len(versions) == 1 || ctx.Err() != nil {
				return err
			}
			h.leftOut("Go %s: %v", v, err)
			continue
		}
		names = append(names, name)
		h.missing[name] = missing
	}
	toolchain.Sort(names)
	for _, n := range slices.Compact(names) {
		h.question.Plan.Arms = append(h.question.Plan.Arms, plan.Arm{Name: n, Toolchain: n})
	}
	if len(h.question.Plan.Arms) == 0 {
		return fmt.Errorf("finding Go %s: none of these versions can be had", h.flags.goVersions)
	}
	return nil
}

func (a *app) resumeLimits(f *limitsFlags, changed func(string) bool) (*hunt, error) {
	for _, flag := range []string{"go", "only", "results", "dry-run"} {
		if changed(flag) {
			return nil, usage("begin a search of its own", "--%s cannot be changed by --resume: the search goes on as it began", flag)
		}
	}
	q := &plan.Question{}
	if err := store.ReadQuestion(f.resume, q); err != nil {
		return nil, err
	}
	switch err := q.Check(); {
	case err != nil:
		return nil, fmt.Errorf("reading run folder %s: %s: %w", f.resume, store.QuestionFile, err)
	case q.Recorded != "limits":
		return nil, withHint("go on with: memcost run --resume "+f.resume, fmt.Errorf("run folder %s is not one of memcost limits", f.resume))
	}
	f.only = q.Plan.Options.Bench
	h, err := a.newHunt(f)
	if err != nil {
		return nil, err
	}
	h.question = q
	if h.folder, err = store.Open(f.resume); err != nil {
		return h, err
	}
	warnings, err := store.ReadSamples(f.resume, func(r *benchfmt.Result) error {
		row, err := limits.FromResult(r)
		h.known = append(h.known, row)
		return err
	})
	for _, w := range slices.Concat(h.folder.Warnings, warnings) {
		h.progress.note("warning: " + w.Error())
	}
	return h, err
}

// find goes through the versions, one after the other.
func (h *hunt) find(ctx context.Context) error {
	h.began = time.Now()
	for _, arm := range h.question.Plan.Arms {
		if h.done(arm.Name) {
			h.found += len(h.names)
			continue
		}
		err := h.findOne(ctx, arm.Name)
		if err != nil && (ctx.Err() != nil || !errors.As(err, new(*leftOutError))) {
			return err
		}
	}
	if h.found == 0 {
		return errors.New("none of the toolchains could be tried")
	}
	return nil
}

// A leftOutError says that a version could not be had; the others can.
type leftOutError struct{ error }

// done is whether every limit of a version is known.
func (h *hunt) done(version string) bool {
	for _, n := range h.names {
		if !slices.ContainsFunc(h.known, func(r limits.Row) bool { return r.Version == version && r.Name == n && r.Failed == "" }) {
			return false
		}
	}
	return true
}

func (h *hunt) findOne(ctx context.Context, version string) error {
	tc, remove, err := h.fetch(ctx, version)
	defer remove()
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		h.leftOut("%s: %v", version, err)
		return errors.Join(&leftOutError{err}, h.folder.WriteQuestion(h.question))
	}
	env, err := toolchain.Environ(nil)
	if err != nil {
		return err
	}
	_, err = limits.Find(ctx, limits.Options{
		Gos: []limits.Go{{Version: tc.Version, GOROOT: tc.GOROOT, GoCmd: tc.GoCmd}}, Runner: h.runner, Env: env,
		Dir: filepath.Join(h.cache, "limits"), Memory: memory, Only: func(n string) bool { return slices.Contains(h.names, n) },
		Known: h.known, Found: h.record,
		Log: func(what string) { h.progress.step(what + h.left()) },
	})
	return err
}

// fetch finds a toolchain. One that has to be downloaded goes to a folder of its
// own, which remove removes, unless it is to be kept: 15 releases take 4 GB.
func (h *hunt) fetch(ctx context.Context, version string) (tc toolchain.Toolchain, remove func(), err error) {
	h.progress.step("finding " + version)
	_, missing, err := h.finder.Resolve(ctx, version)
	if err != nil || !missing || h.keep {
		if err == nil {
			tc, err = h.finder.Find(ctx, version)
		}
		return tc, func() {}, err
	}
	dir, err := filepath.Abs(filepath.Join(h.cache, "toolchains", version))
	if err != nil {
		return tc, func() {}, err
	}
	finder := *h.finder
	finder.Env = append(os.Environ(), "GOMODCACHE="+dir)
	tc, err = finder.Find(ctx, version)
	return tc, func() {
		if err := removeAll(dir); err != nil {
			h.progress.note("warning: removing a toolchain: " + err.Error())
		}
		os.Remove(filepath.Dir(dir)) // fails while another one is in it
	}, err
}

// removeAll removes a module cache: its folders are read-only.
func removeAll(dir string) error {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// record keeps a row as soon as it is found.
func (h *hunt) record(r limits.Row, done, total int) error {
	h.found++
	if slices.ContainsFunc(h.known, func(k limits.Row) bool { return k.Name == r.Name && k.Version == r.Version && k.Failed == "" }) {
		return nil
	}
	h.tried++
	res := r.Result()
	for _, kv := range header(h.question) {
		res.Config = append(res.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	res.Config = append(res.Config, benchfmt.Config{Key: "arm", Value: []byte(r.Version), File: true})
	return h.folder.Append(res)
}

// left says how far the search has come.
func (h *hunt) left() string {
	total := len(h.names) * len(h.question.Plan.Arms)
	s := fmt.Sprintf(" (%d of %d limits", h.found, total)
	if h.tried > 0 {
		each := time.Since(h.began) / time.Duration(h.tried)
		s += fmt.Sprintf(", about %v left", (each * time.Duration(total-h.found)).Round(time.Second))
	}
	return s + ")"
}

// memory is what can be had without harm to others: of the machine, and of the
// container.
func memory() (int64, bool) {
	fp, err := machine.ReadFingerprint("")
	if err != nil || fp.MemoryAvailableBytes <= 0 {
		return 0, false
	}
	n := fp.MemoryAvailableBytes
	if fp.CgroupMemoryBytes > 0 {
		n = min(n, fp.CgroupMemoryBytes*3/4)
	}
	return n, true
}
