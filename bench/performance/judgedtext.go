package main

import (
	"fmt"
	"slices"
	"strings"

	"memcost/bench/methods"
	"memcost/internal/method/stat"
)

// text returns the tables in Markdown, with the rules of reading them.
func (r *judged) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Methods beside each other\n\n    scripts/bench-method.sh methods\n\n")
	fmt.Fprintf(&b, "From %s, %s of steps, %.0f s of sampling for each way and true change.\n\n", r.Begun,
		seconds(r.Seconds), r.Span)
	for _, part := range []struct{ title, table string }{
		{"Identical sides called different (5% or less is what all but tango's rule promise for one look)",
			r.bySeconds(0)},
		{fmt.Sprintf("True changes found in %.0f s, three kinds together", r.Span), r.byRate()},
		{"A true change of 5% found, three kinds together", r.bySeconds(runRate)},
		{fmt.Sprintf("A true change of 5%%, by kind, found in %.0f s", r.Span), r.byKind()},
		{"Least seconds, of those tried, from which on four of five were found", r.enough()},
		{"Intervals that hold the truth, at all seconds and true changes", r.coverage()},
		{fmt.Sprintf("memcost run . --vary SLOWER=5 --budget %.0fs, as a user has it", r.Span), r.runsTable()},
		{"The true change, from all pairs together", r.truthTable()},
		{"What sampling needs", r.costTable()},
	} {
		if part.table != "" {
			fmt.Fprintf(&b, "%s:\n\n%s\n", part.title, part.table)
		}
	}
	b.WriteString("Intervals in brackets: Clopper–Pearson at 95%, as if blocks were independent; the three kinds of " +
		"a block share the machine's state.\n")
	return b.String()
}

// headline says what the picture shows, in figures.
func (r *judged) headline() string {
	at := func(m methods.Method) methods.Figure {
		return methods.Sum(r.Figures, func(f methods.Figure) bool {
			return f.Method == m && f.Rate == runRate && f.Seconds == r.Span
		})
	}
	one, other := at(methods.Changed), at(methods.Interleaved)
	if one.Of == 0 || other.Of == 0 {
		return "What each method finds of known changes"
	}
	return fmt.Sprintf("A true change of %d%% in %.0f s: memcost finds %d of %d, an interleaved benchstat %d of %d",
		runRate, r.Span, one.Found, one.Of, other.Found, other.Of)
}

// rows makes a table with a row for each method that has a figure in some column.
func (r *judged) rows(columns []string, figure func(m methods.Method, column int) string) string {
	lines := [][]string{append([]string{"method"}, columns...)}
	for _, m := range methods.All {
		row, some := []string{string(m)}, false
		for i := range columns {
			text := figure(m, i)
			some = some || text != ""
			row = append(row, text)
		}
		if some {
			lines = append(lines, row)
		}
	}
	if len(lines) == 1 || len(columns) == 0 {
		return ""
	}
	return table(lines)
}

// found is a share of blocks: "9 of 12 [43, 95]".
func found(k, n int) string {
	if n == 0 {
		return ""
	}
	iv := stat.ClopperPearson(k, n, methods.Alpha)
	return fmt.Sprintf("%d of %d [%.0f, %.0f%%]", k, n, 100*iv.Lo, 100*iv.Hi)
}

func (r *judged) sum(pass func(methods.Figure) bool) string {
	f := methods.Sum(r.Figures, pass)
	text := found(f.Found, f.Of)
	if f.Wrong > 0 {
		text += fmt.Sprintf(", %d of the wrong sign", f.Wrong)
	}
	return text
}

func (r *judged) times() []float64 {
	return methods.Distinct(r.Figures, func(f methods.Figure) float64 { return f.Seconds })
}

func (r *judged) bySeconds(rate int) string {
	ts := r.times()
	var columns []string
	for _, t := range ts {
		columns = append(columns, fmt.Sprintf("%.0f s", t))
	}
	return r.rows(columns, func(m methods.Method, i int) string {
		return r.sum(func(f methods.Figure) bool { return f.Method == m && f.Rate == rate && f.Seconds == ts[i] })
	})
}

func (r *judged) changes() (rates []int, columns []string) {
	for _, rate := range methods.Distinct(r.Figures, func(f methods.Figure) int { return f.Rate }) {
		if rate > 0 {
			rates, columns = append(rates, rate), append(columns, fmt.Sprintf("%d%%", rate))
		}
	}
	return rates, columns
}

func (r *judged) byRate() string {
	rates, columns := r.changes()
	return r.rows(columns, func(m methods.Method, i int) string {
		return r.sum(func(f methods.Figure) bool {
			return f.Method == m && f.Rate == rates[i] && (f.Seconds == r.Span || m == methods.Sequential)
		})
	})
}

func (r *judged) kinds() []string {
	return methods.Distinct(r.Figures, func(f methods.Figure) string { return f.Kind })
}

func (r *judged) byKind() string {
	kinds := r.kinds()
	return r.rows(kinds, func(m methods.Method, i int) string {
		return r.sum(func(f methods.Figure) bool {
			return f.Method == m && f.Rate == runRate && f.Kind == kinds[i] &&
				(f.Seconds == r.Span || m == methods.Sequential)
		})
	})
}

// enough says from which seconds on a method finds most of a change.
func (r *judged) enough() string {
	rates, columns := r.changes()
	kinds := r.kinds()
	for _, kind := range kinds {
		columns = append(columns, fmt.Sprintf("%d%%, %s", runRate, kind))
	}
	return r.rows(columns, func(m methods.Method, i int) string {
		rate, kind := runRate, ""
		if i < len(rates) {
			rate = rates[i]
		} else {
			kind = kinds[i-len(rates)]
		}
		some := methods.Sum(r.Figures, func(f methods.Figure) bool {
			return f.Method == m && f.Rate == rate && (kind == "" || f.Kind == kind)
		})
		if some.Of == 0 || m == methods.Sequential {
			return ""
		}
		t, ok := methods.Enough(r.Figures, m, kind, rate, 0.8)
		if !ok {
			return fmt.Sprintf("more than %.0f s", r.Span)
		}
		return fmt.Sprintf("%.0f s", t)
	})
}

func (r *judged) coverage() string {
	rates := methods.Distinct(r.Figures, func(f methods.Figure) int { return f.Rate })
	var columns []string
	for _, rate := range rates {
		columns = append(columns, fmt.Sprintf("%d%%", rate))
	}
	return r.rows(append(columns, "all"), func(m methods.Method, i int) string {
		f := methods.Sum(r.Figures, func(f methods.Figure) bool {
			return f.Method == m && (i == len(rates) || f.Rate == rates[i])
		})
		return found(f.Covered, f.Intervals)
	})
}

// runsTable shows the runs with a budget.
func (r *judged) runsTable() string {
	if len(r.Runs) == 0 {
		return ""
	}
	rows := [][]string{{"kind", "called changed", "interval excludes 1", "called changed after, median",
		"whole command, median"}}
	kinds := append(r.kinds(), "")
	for _, kind := range kinds {
		var changed, differs, n int
		var at, whole []float64
		for _, run := range r.Runs {
			if kind != "" && run.Kind != kind {
				continue
			}
			n++
			if run.Changed {
				changed++
			}
			if run.Differs {
				differs++
			}
			if run.At > 0 {
				at = append(at, run.At)
			}
			whole = append(whole, run.Whole)
		}
		name, after := kind, "never"
		if name == "" {
			name = "all"
		}
		if len(at) > 0 {
			after = fmt.Sprintf("%s (of %d)", seconds(stat.Median(at)), len(at))
		}
		rows = append(rows, []string{name, found(changed, n), found(differs, n), after, seconds(stat.Median(whole))})
	}
	return table(rows)
}

func (r *judged) truthTable() string {
	if len(r.Truth) == 0 {
		return ""
	}
	rates := methods.Distinct(r.Figures, func(f methods.Figure) int { return f.Rate })
	header := []string{"by construction"}
	kinds := r.kinds()
	rows := [][]string{append(header, kinds...)}
	for _, rate := range rates {
		row := []string{fmt.Sprintf("%.2f", 1+float64(rate)/100)}
		for _, kind := range kinds {
			i := slices.IndexFunc(r.Truth, func(t truth) bool { return t.Rate == rate && t.Kind == kind })
			if i < 0 {
				row = append(row, "")
				continue
			}
			t := r.Truth[i]
			row = append(row, fmt.Sprintf("%.4f [%.4f, %.4f] of %d", t.Ratio, t.Lo, t.Hi, t.Pairs))
		}
		rows = append(rows, row)
	}
	return table(rows)
}

func (r *judged) costTable() string {
	rows := [][]string{{"sampling", "steps", "before the first sample, median", "rounds of all three in a minute"}}
	names := map[string]string{takeMemcost: "memcost, every comparison to the end", takeRun: "memcost with a budget",
		takeInterleaved: "interleaved go test (one link)", takeSequential: "go test -count=10, each side (one link)"}
	for _, c := range r.Costs {
		rows = append(rows, []string{names[c.Take], fmt.Sprint(c.Steps), seconds(c.Prepared), digits(c.Rounds)})
	}
	return table(rows)
}
