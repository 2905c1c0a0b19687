package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// order also holds the file to what others expect of it: benchfmt reads every
// line of it.
func order(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2, "order RUN FILE")
	f, err := os.Open(filepath.Join(ts.MkAbs(args[0]), store.SamplesFile))
	ts.Check(err)
	defer f.Close()
	var lines []string
	r := benchfmt.NewReader(f, store.SamplesFile)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			ts.Fatalf("%v", rec)
		case *benchfmt.Result:
			if rec.GetConfig(series.KeyRole) == series.RoleFloor {
				continue // no sample of a case
			}
			round, _ := rec.Value(series.UnitRound)
			if rec.GetConfig(series.KeyRole) == string(plan.Quarter) && round >= plan.SieveRounds {
				continue // whether there is one depends on what the first of them said
			}
			lines = append(lines, orderLine(int(round), string(rec.Name),
				series.SideName(rec.GetConfig(series.KeyToolchain), rec.GetConfig(series.KeySide)),
				rec.GetConfig(series.KeyRole)))
		}
	}
	ts.Check(r.Err())
	if len(lines) == 0 {
		ts.Fatalf("no samples in %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(lines, "")), 0o666))
}

func orderLine(round int, name, side, role string) string {
	return fmt.Sprintf("%d %s %q %s\n", round, name, side, role)
}

// planned also checks that what is compared stands side by side.
func planned(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 3, "planned RUN N FILE")
	var q plan.Question
	ts.Check(store.ReadQuestion(ts.MkAbs(args[0]), &q))
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var text strings.Builder
	for round := range n {
		left := map[int]bool{}
		last := -1
		for _, t := range q.Plan.Round(round, plan.State{}) {
			if t.Group != last && left[t.Group] {
				ts.Fatalf("round %d comes back to comparison %d", round, t.Group)
			}
			last, left[t.Group] = t.Group, true
			text.WriteString(orderLine(round, q.Plan.Cases[t.Case].Name, q.Plan.Sides[t.Side].Name, string(t.Role)))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text.String()), 0o666))
}

func answers(ts *testscript.TestScript, file string) []map[string]any {
	var all []map[string]any
	if err := json.Unmarshal([]byte(ts.ReadFile(file)), &all); err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	return all
}

func verdict(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 3, "verdict FILE CLAIM WORD")
	for _, a := range answers(ts, args[0]) {
		for _, s := range list(a["suites"]) {
			for _, c := range list(s["claims"]) {
				if c["id"] != args[1] {
					continue
				}
				if got := list(c["verdicts"])[0]["status"]; got != args[2] {
					ts.Fatalf("claim %s: %v, want %s", args[1], got, args[2])
				}
				return
			}
		}
	}
	ts.Fatalf("no claim %s", args[1])
}

// quiet leaves out the rest of a script whose claims are undecided because other programs kept the machine busy all the time:
// of times there is nothing more to be said then.
func quiet(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1, "quiet FILE")
	for _, a := range answers(ts, args[0]) {
		for _, s := range list(a["suites"]) {
			for _, c := range list(s["answer"]) {
				if c["busy"] == true && c["status"] == "undecided" {
					ts.Value(theTest).(testscript.T).Skip("the machine is busy with other programs")
				}
			}
		}
	}
}

// theTest is where a script's values hold its test.
const theTest = "test"

func list(v any) []map[string]any {
	var out []map[string]any
	items, _ := v.([]any)
	for _, x := range items {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// documented checks an answer against docs/format.md: it has every field that a
// script relies on, and none that the page does not name.
func documented(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1, "documented FILE")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "format.md"))
	ts.Check(err)
	_, section, ok := strings.Cut(string(page), "## The answer")
	if !ok {
		ts.Fatalf("docs/format.md has no section on the answer")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	section = strings.ReplaceAll(section, "[]`", "`")
	all := answers(ts, args[0])
	for _, a := range all {
		for _, k := range strings.Fields("format tool run_folder created command machine options arms rounds " +
			"samples disturbed_share disturbed unfit loop_sec wall_sec loop_share noise_floor suites warnings") {
			if _, ok := a[k]; !ok {
				ts.Fatalf("the answer has no field %q", k)
			}
		}
		undocumented(ts, section, a)
	}
}

// elsewhere are the fields whose objects the page describes with run.json, or
// whose fields are units.
var elsewhere = []string{"machine", "options", "arms", "metrics", "failures"}

func undocumented(ts *testscript.TestScript, section string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if !strings.Contains(section, "`"+k+"`") {
				ts.Fatalf("the answer has a field %q that docs/format.md does not name", k)
			}
			if !slices.Contains(elsewhere, k) {
				undocumented(ts, section, x)
			}
		}
	case []any:
		for _, x := range v {
			undocumented(ts, section, x)
		}
	}
}

// differs reads a file of order: its rounds have more than one order, and of the
// sides of a case each is first in some round.
func differs(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1, "differs FILE")
	rounds := map[string]string{}
	first := map[string]map[string]bool{} // by case: the sides that were first
	seen := map[string]bool{}
	sides := map[string]bool{}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		round, rest, _ := strings.Cut(line, " ")
		name, side, _ := strings.Cut(rest, " ")
		rounds[round] += rest
		sides[side] = true
		if !seen[round+name] {
			seen[round+name] = true
			if first[name] == nil {
				first[name] = map[string]bool{}
			}
			first[name][side] = true
		}
	}
	orders, both := map[string]bool{}, 0
	for _, o := range rounds {
		orders[o] = true
	}
	for _, f := range first {
		if len(f) == len(sides) {
			both++
		}
	}
	if len(orders) != len(rounds) || both == 0 {
		ts.Fatalf("%d rounds have %d orders; in %d of %d cases each arm was first once", len(rounds), len(orders), both,
			len(first))
	}
}

// partition checks that the cases of the last file are those of the others, each
// in exactly one.
func partition(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2, "partition PART... WHOLE")
	cases := func(file string) map[string]bool {
		set := map[string]bool{}
		for line := range strings.Lines(ts.ReadFile(file)) {
			set[strings.Fields(line)[1]] = true
		}
		return set
	}
	whole := cases(args[len(args)-1])
	found := map[string]string{}
	for _, part := range args[:len(args)-1] {
		for c := range cases(part) {
			if other, twice := found[c]; twice || !whole[c] {
				ts.Fatalf("%s is in %s and in %q", c, part, other)
			}
			found[c] = part
		}
	}
	if len(found) != len(whole) {
		ts.Fatalf("the parts have %d of %d cases", len(found), len(whole))
	}
}

// prefix checks that the first file is the beginning of the second.
func prefix(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2, "prefix FILE FILE")
	if short, long := ts.ReadFile(args[0]), ts.ReadFile(args[1]); !strings.HasPrefix(long, short) {
		ts.Fatalf("%s is not how %s begins:\n%s\n%s", args[0], args[1], short, long)
	}
}
