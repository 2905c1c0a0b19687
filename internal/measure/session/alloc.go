package session

import (
	"cmp"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/malloc/allocator"
	"memcost/internal/malloc/settings"
	"memcost/internal/measure/plan"
	"memcost/internal/method/curve"
)

// Timeout is how long a process may take unless somebody says otherwise.
const Timeout = 5 * time.Minute

// Margin is the difference that is worth knowing unless somebody says otherwise, as a share: the
// times of whole programs scatter by several percent from one process to the next.
const Margin = 0.03

// BeginAlloc prepares a comparison of allocators, by their names or files (none: all that are installed):
// it finds them, tries the program under each of them, and makes the run folder. Of the options those have a
// meaning that are of command lines; each of Vary is a configuration of its own, and Alloc has the commands of
// a server. Where Alloc has the program's memory looked at over time, no names mean that nothing is compared, and
// an allocator's name stands for the settings of it, too, that give memory back sooner.
// The caller closes the Session, which is nil only where nothing was begun.
func BeginAlloc(ctx context.Context, t *Tools, o Options, with []string) (*Session, error) {
	wanted, err := wantedOf(o, with)
	if err != nil {
		return nil, err
	}
	b := &beginning{Tools: t, o: o, with: with, alloc: o.Alloc}
	if err := b.find(); err != nil {
		return nil, err
	}
	known := tunablesOf(ctx, t.Runner, b.loader())
	wanted = slices.DeleteFunc(wanted, func(c configuration) bool { return c.offered && checkTunables(known, c.set) != nil })
	for _, c := range wanted {
		if err := checkTunables(known, c.set); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	limit := o.Timeout
	if !o.DryRun {
		if wanted, limit, err = b.tryAll(ctx, wanted); err != nil {
			if ctx.Err() != nil && !hint.IsUsage(err) {
				err = ErrInterrupted()
			}
			return nil, err
		}
	}
	o.Ready, o.Vary = Lines{Sides: b.sides(wanted), Took: b.took, Beside: b.beside}, nil
	o.Margin, o.Timeout = cmp.Or(o.Margin, Margin), cmp.Or(limit, Timeout)
	return Begin(ctx, t, o)
}

// A beginning is a comparison that is being prepared.
type beginning struct {
	*Tools
	o       Options
	with    []string
	path    string // of the program
	trier   settings.Trier
	program program
	alloc   *plan.Alloc
	// took and beside are how long the program takes, and its process beside that, where nothing else finds it out.
	took, beside time.Duration
}

// find looks the program up, and reads its file.
func (b *beginning) find() error {
	var err error
	if b.path, err = findProgram(b.o.Args[0]); err != nil {
		return hint.Usage("memcost "+b.command()+" -- ./prog args", "finding the program %s: %w", b.o.Args[0], err)
	}
	b.program.main = b.program.file(b.path)
	b.alloc.Program, b.alloc.Own = b.path, b.program.own(trial{})
	return nil
}

// command is what is asked for.
func (b *beginning) command() string {
	if b.alloc.Held != nil {
		return "held"
	}
	return "alloc"
}

// findProgram returns the file of a program: a path, or a name on PATH.
func findProgram(name string) (string, error) {
	if !strings.Contains(name, string(filepath.Separator)) {
		return proc.LookPath(name, os.Environ())
	}
	file, err := filepath.Abs(name)
	if err == nil {
		_, err = os.Stat(file)
	}
	return file, err
}

// loader returns the dynamic loader of the program; of a script that of the machine's shell.
func (b *beginning) loader() string {
	if f := b.program.main; f != nil {
		return f.Interpreter
	}
	if f := b.program.file("/bin/sh"); f != nil {
		return f.Interpreter
	}
	return ""
}

// sides returns the sides of the comparison, the program's own allocator first.
func (b *beginning) sides(wanted []configuration) []plan.Side {
	line := units.ShellLine(append([]string{b.path}, b.o.Args[1:]...))
	sides := []plan.Side{{Name: b.alloc.Own, Command: line}}
	for _, c := range wanted {
		sides = append(sides, plan.Side{Name: c.name, Command: line, Env: c.env(os.Getenv("LD_PRELOAD"))})
	}
	return sides
}

const (
	// slowest is how many times as long as under its own allocator the program may take under
	// another, and leastLimit the time that it has in any case: an allocator that spins is ended.
	slowest    = 20
	leastLimit = 10 * time.Second
)

// tryAll runs the program under its own allocator twice, then under each configuration once, and
// returns those that can be measured and how long a process may take.
func (b *beginning) tryAll(ctx context.Context, wanted []configuration) ([]configuration, time.Duration, error) {
	p, err := b.prober()
	if err != nil {
		return nil, 0, err
	}
	defer p.launcher.Close()
	defer p.held.close()
	b.trier = settings.Trier{Builder: b.Builder, Env: os.Environ()}
	own, err := b.tryOwn(ctx, p, len(wanted) > 0)
	if err != nil {
		return nil, 0, err
	}
	limit := b.o.Timeout
	if limit == 0 {
		limit = min(Timeout, max(slowest*own.took, leastLimit))
	}
	b.askMalloc(ctx, p, own, limit)
	var out []configuration
	wanted = b.others(wanted, own)
	for i, c := range wanted {
		b.Log.Step(fmt.Sprintf("trying the program under %s (%d of %d)", c.name, i+1, len(wanted)))
		left, err := b.tryOne(ctx, p, c, own, limit)
		if err != nil {
			return nil, 0, err
		}
		if left.Why == "" {
			out = append(out, c)
			continue
		}
		b.alloc.Left = append(b.alloc.Left, left)
	}
	if len(out) == 0 && len(wanted) > 0 {
		return nil, 0, b.nothing()
	}
	for _, s := range plan.NotMeasuredSays(b.alloc.Left) {
		b.Log.Note(s)
	}
	return out, limit, nil
}

// others returns the configurations that are not the program's own, and that of the C library where
// the program is linked with another allocator.
func (b *beginning) others(wanted []configuration, own trial) []configuration {
	out := slices.DeleteFunc(slices.Clone(wanted), func(c configuration) bool { return c.name == b.alloc.Own })
	if len(out) < len(wanted) {
		b.alloc.Notes = append(b.alloc.Notes, b.alloc.Own+" is what the program is linked with")
	}
	given := len(b.with) == 0 && b.alloc.Held == nil || slices.Contains(b.with, allocator.GLIBC)
	if library := b.program.libc(own); given && library != "" && b.alloc.Own != allocator.GLIBC {
		out = append([]configuration{{name: allocator.GLIBC, library: library}}, out...)
	}
	return out
}

func (b *beginning) prober() (*prober, error) {
	env := os.Environ()
	p := &prober{Tools: b.Tools, launch: launch{stdin: b.o.Stdin}, cmd: proc.Cmd{Path: b.path, Args: b.o.Args[1:], Env: env}}
	if b.o.Stdin != "" {
		f, err := os.Open(b.o.Stdin)
		if err != nil {
			return nil, hint.Usage("--stdin FILE gives each process the file's content", "--stdin: %w", err)
		}
		f.Close()
	}
	var err error
	if p.load, err = LoadOf(b.alloc, b.Dir, cmp.Or(b.o.Timeout, Timeout)); err != nil {
		return nil, err
	}
	if b.alloc.Held != nil {
		if p.held, err = newHold(*b.alloc.Held, p.load == nil, nil); err != nil {
			return nil, err
		}
	}
	p.launcher, err = proc.StartLauncher(b.Runner)
	return p, err
}

// tryOwn runs the program under its own allocator twice, to know what all others are held to; once where there are none.
func (b *beginning) tryOwn(ctx context.Context, p *prober, compared bool) (own trial, err error) {
	b.Log.Step("trying the program under its own allocator")
	if b.alloc.Until == "" && b.alloc.Held == nil {
		defer noteServer(b.Log.Note)()
	}
	own, err = p.try(ctx, nil, cmp.Or(b.o.Timeout, Timeout))
	if err != nil {
		return own, err
	}
	again := own // where nothing can be held to it a second time tells no more
	if b.broken(own, own) == "" && compared {
		p.cmd.Watch = true
		if again, err = p.try(ctx, nil, cmp.Or(b.o.Timeout, Timeout)); err != nil {
			return own, err
		}
		p.cmd.Watch = false
	}
	b.alloc.Own, b.alloc.Ends = b.program.own(own), own.ends
	if own.seen != nil {
		b.took, b.beside = own.took, own.res.Wall-own.took
		b.alloc.Held.Plain = b.alloc.Until != "" || own.seen.How == curve.Ended && own.seen.Work < 0
	}
	b.alloc.Varies = own.printed != again.printed
	if why := b.broken(own, again); why != "" {
		last := ""
		if len(own.errors) > 0 {
			last = ": " + own.errors[len(own.errors)-1]
		}
		advice := "run it by itself first"
		if status, failed := strings.CutPrefix(why, "it failed with exit status "); failed {
			advice += "; if that is how it ends when it succeeds: --exit-status " + status
		}
		return own, hint.With(advice, fmt.Errorf("%s under its own allocator: %s%s", b.path, why, last))
	}
	b.alloc.Notes = b.program.notes(own, slices.Concat(b.o.Args, os.Environ()))
	if n := own.res.Daemons; n > 0 && b.alloc.Until == "" {
		what := "their time and memory do not count"
		if b.alloc.Held != nil {
			what = "have it stay in the foreground, or look at the daemon with --pid"
		}
		b.alloc.Notes = append(b.alloc.Notes, fmt.Sprintf("it leaves %s in the background, stopped at its end: %s", units.Plural(n,
			"daemon"), what))
	}
	if x := again.res.Together; x.Processes > 1 {
		b.alloc.Notes = append(b.alloc.Notes, fmt.Sprintf("%d of its processes had %s resident together at once, pages that they share counted in each, "+
			"and the largest of them %s: peak RSS is that of the largest process", x.Processes,
			units.Bytes(x.Sum), units.Bytes(x.Largest)))
	}
	if b.alloc.Varies {
		b.alloc.Notes = append(b.alloc.Notes, "what the program prints differs between two runs under "+b.alloc.Own+
			": only how it ends is compared")
	}
	static := b.program.main != nil && b.program.main.Static()
	if own.took < longestCounted && !static && b.alloc.Held == nil {
		same := func(t trial) bool { return t.differs(own, b.alloc) == "" }
		b.alloc.CallsPerSec = p.count(ctx, slowest*own.took+leastLimit, same)
	}
	if b.alloc.CallsPerSec > 0 {
		b.alloc.Notes = append(b.alloc.Notes, callsSay(b.alloc.CallsPerSec, own))
	}
	return own, ctx.Err()
}

// broken returns why nothing can be held to what the program does by itself, "" where it can.
func (b *beginning) broken(own, again trial) string {
	server := b.alloc.Until != ""
	switch {
	case own.broken != "" || again.broken != "":
		return cmp.Or(own.broken, again.broken)
	case strings.HasPrefix(own.ends, "no end"):
		return own.ends + " (--until 'LOAD COMMAND' is for servers)"
	case own.seen != nil && own.seen.How == curve.Killed: // that is what is to be looked at
	case strings.HasPrefix(own.ends, "SIG") && !server:
		return "it died of " + own.ends
	case !server && own.res.ExitCode != b.alloc.Status:
		return "it failed with " + own.ends
	case own.ends != again.ends:
		return "it ended with " + own.ends + ", and the second time with " + again.ends
	}
	return ""
}

// tryOne runs the program under a configuration; Why is "" where it can be measured.
func (b *beginning) tryOne(ctx context.Context, p *prober, c configuration, own trial, limit time.Duration) (
	left plan.NotMeasured, err error) {
	left.Name = c.name
	if c.library != "" {
		if left.Why = b.program.cannot(c.library); left.Why != "" {
			return left, nil
		}
		if left.Why, err = b.library(ctx, c); left.Why != "" || err != nil {
			left.Invalid = true
			return left, err
		}
	}
	if b.program.main != nil && slices.ContainsFunc(c.set, isTunables) {
		if left.Why = b.program.main.ReadsTunables(); left.Why != "" {
			return left, nil
		}
	}
	t, err := p.try(ctx, c.env(os.Getenv("LD_PRELOAD")), limit)
	if err != nil {
		return left, err
	}
	if left.Why = t.differs(own, b.alloc); left.Why != "" {
		left.Invalid = true
		return left, nil
	}
	if left.Why = ignored(t); left.Why != "" {
		return left, nil
	}
	if c.library == "" {
		return left, nil
	}
	why, partly := tookNot(c.library, t)
	if partly {
		b.alloc.Notes = append(b.alloc.Notes, c.name+": "+why)
		why = ""
	}
	left.Why = why
	return left, nil
}

func isTunables(variable string) bool { return strings.HasPrefix(variable, "GLIBC_TUNABLES=") }

// library returns what is wrong with the library of a configuration, as a small program of
// memcost's finds it: what the user's own program makes of it says less.
func (b *beginning) library(ctx context.Context, c configuration) (string, error) {
	if f := b.program.main; f != nil && (f.Class == elf.ELFCLASS64) != (strconv.IntSize == 64) {
		return "", nil // the small program is built for this machine
	}
	found, err := b.trier.Allocator(ctx, c.env(os.Getenv("LD_PRELOAD")))
	return strings.TrimPrefix(found.Dead, c.library+": "), err
}

// nothing is the error of a program that no configuration has an effect on.
func (b *beginning) nothing() error {
	advice := "the program can be linked with another allocator, and compared: memcost compare --command ./old ./new"
	says := plan.NotMeasuredSays(b.alloc.Left)
	if len(says) == 1 {
		says[0] = b.alloc.Left[0].Why
	}
	return hint.With(advice, fmt.Errorf("nothing can be compared with %s: %s", b.alloc.Own, strings.Join(says, "; ")))
}
