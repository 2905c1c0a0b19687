package usetext

import (
	"fmt"
	"path/filepath"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/malloc/mallocprofile"
)

// facts are the figures in sentences and lists.
func facts(u *mallocprofile.Use) []string {
	out := []string{calls(u), memory(u)}
	if u.Processes > 1 || u.Missing > 0 {
		out = append(out, processes(u))
	}
	return append(out, overhead(u.Overhead))
}

// calls lists the functions that were called.
func calls(u *mallocprofile.Use) string {
	var parts []string
	for _, name := range mallocprofile.Functions {
		if n := u.Profile.Calls[name]; n > 0 {
			part := name + " " + units.Thousands(int64(n))
			if name == "free" && u.FreesNull > 0 {
				part += fmt.Sprintf(" (%s of NULL)", units.Thousands(int64(u.FreesNull)))
			}
			parts = append(parts, part)
		}
	}
	if u.Early > 0 {
		parts = append(parts, fmt.Sprintf("before libc was ready %d", u.Early))
	}
	return "Calls: " + strings.Join(parts, ", ") + "; " + units.Bytes(u.Bytes) + " in all."
}

// memory says what lived, and in which threads.
func memory(u *mallocprofile.Use) string {
	says := fmt.Sprintf("Live at the peak: %s blocks, %s", units.Thousands(u.Blocks), peak(u.Peak))
	says += ". Threads: " + units.Thousands(int64(u.Threads.Started))
	if u.Threads.Started > 1 {
		says += fmt.Sprintf(", %d at once; %s of the blocks are freed by another thread than their own",
			u.Threads.AtOnce, shareOf(u.Foreign))
	}
	if u.Threads.Uncounted > 0 {
		says += fmt.Sprintf("; %s came when 1,024 lived, and were not counted",
			units.Plural(u.Threads.Uncounted, "thread"))
	}
	return says + "."
}

// peak says how many bytes lived at once. A small number is not known well, and only its upper end
// is told.
func peak(e mallocprofile.Estimate) string {
	const how = "sampled blocks, 95% confidence interval"
	switch {
	case e.Hi <= e.Lo:
		return units.Bytes(e.Value) + " (each block was followed)"
	case e.Lo < e.Value/2:
		return fmt.Sprintf("at most %s (%s)", units.Bytes(e.Hi), how)
	}
	return fmt.Sprintf("%s [%s, %s] (%s)", units.Bytes(e.Value), units.Bytes(e.Lo), units.Bytes(e.Hi), how)
}

func shareOf(e mallocprofile.Estimate) string {
	if e.Hi <= e.Lo {
		return units.Percent(e.Value)
	}
	return fmt.Sprintf("%s [%.1f, %.1f]", units.Percent(e.Value), 100*e.Lo, 100*e.Hi)
}

func processes(u *mallocprofile.Use) string {
	says := fmt.Sprintf("This is process %d, %s, one of %d that called malloc, with %s of the calls.", u.PID,
		cut(filepath.Base(u.Program), 30), u.Processes, units.Percent(u.Share))
	if u.Missing > 0 {
		says += fmt.Sprintf(" Those after the 500th were not counted: %d.", u.Missing)
	}
	return says
}

// overhead says what counting cost.
func overhead(o mallocprofile.Overhead) string {
	if o.Ratio == 0 {
		return "What counting costs was not measured: too little CPU time, or too few runs."
	}
	says := fmt.Sprintf("With counting it takes %s the CPU time without", units.Ratio(o.Ratio))
	if o.Hi > 0 {
		says += " " + units.Range(o.Lo, o.Hi)
	} else {
		says += ", without an interval: at least 4 runs of each give one"
	}
	return says + fmt.Sprintf(" (%d runs of each, in random order).", o.Runs)
}
