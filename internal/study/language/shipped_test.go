package language

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"memcost/study"

	"golang.org/x/perf/benchfmt"
)

func shippedStudies(t *testing.T) []*Study {
	t.Helper()
	studies, err := ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	return studies
}

// A study says in its study.toml what it asks and what it shows, and everything in it
// finds something.
func TestShippedStudiesAreShown(t *testing.T) {
	cases := knownCases(t)
	for _, s := range shippedStudies(t) {
		if !strings.HasSuffix(s.Question, "?") || s.Show.File != path.Join(s.Name, "study.toml") || len(s.Tables) == 0 {
			t.Errorf("%s: question %q, %d tables, shown in %q", s.Name, s.Question, len(s.Tables), s.Show.File)
		}
		if len(s.Warnings) > 0 {
			t.Errorf("%s: %v", s.Name, s.Warnings)
		}
		known := cases[s.Name]
		check := func(where string, sel Selector) {
			if !sel.IsZero() && !slices.ContainsFunc(known, sel.Match) {
				t.Errorf("%s: %s: %v (of %s) matches none of %d cases", s.Name, where, sel, sel.Scope, len(known))
			}
		}
		for _, x := range s.Tabulated() {
			for _, c := range x.Columns {
				check(x.Pos.String()+": "+x.Title+": "+c.Header, c.Num)
				check(x.Pos.String()+": "+x.Title+": "+c.Header, c.Den)
			}
		}
		for _, c := range s.Claims {
			check("claim "+c.ID, c.Num)
			check("claim "+c.ID, c.Den)
			check("claim "+c.ID, c.Weak)
		}
		for _, n := range s.names {
			sel, err := newSelector(strings.Join(n.terms, " "), "")
			if err != nil {
				t.Fatal(err)
			}
			check("name "+n.words, sel)
		}
	}
}

// knownCases are those of testdata/cases.txt, by study.
func knownCases(t *testing.T) map[string][]*benchfmt.Result {
	t.Helper()
	file, err := os.Open("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := map[string][]*benchfmt.Result{}
	study := ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "study "); ok {
			study = name
		} else if line != "" && line[0] != '#' {
			for _, name := range braces(line) {
				out[study] = append(out[study], &benchfmt.Result{Name: benchfmt.Name(name)})
			}
		}
	}
	return out
}

// braces expands a{b,c} to ab and ac.
func braces(s string) []string {
	head, rest, ok := strings.Cut(s, "{")
	if !ok {
		return []string{s}
	}
	list, tail, _ := strings.Cut(rest, "}")
	var out []string
	for _, end := range braces(tail) {
		for x := range strings.SplitSeq(list, ",") {
			out = append(out, head+x+end)
		}
	}
	return out
}

// The sides of every ratio that a study claims have names of their own, so that a
// sentence can be made of it.
func TestShippedRatiosNameBothSides(t *testing.T) {
	for _, s := range shippedStudies(t) {
		named := map[string]bool{}
		for _, n := range s.names {
			named[n.words] = true
		}
		for _, c := range s.Claims {
			if c.Kind != Ratio {
				continue
			}
			if a, b := s.Sides(c.Num, c.Den); !named[a] || !named[b] || a == b {
				t.Errorf("%s: claim %s: the sides are %q and %q", s.Name, c.ID, a, b)
			}
		}
		for _, id := range s.Answer {
			i := slices.IndexFunc(s.Claims, func(c Claim) bool { return c.ID == id })
			if s.Claims[i].Kind != Ratio {
				t.Errorf("%s: the claim %s answers with a %s: only a ratio can", s.Name, id, s.Claims[i].Kind)
			}
		}
		ratio := func(c Claim) bool { return c.Kind == Ratio }
		if len(s.Answer) == 0 && slices.ContainsFunc(s.Claims, ratio) {
			t.Errorf("%s: no claim answers its question", s.Name)
		}
	}
}

// dependent are words with which a sentence goes on with the one before it.
var dependent = []string{"and", "but", "nor", "or", "which", "with", "without", "of", "by", "above", "below", "so",
	"too", "then", "it", "they", "this", "that", "these", "also", "again", "because", "for", "while", "where"}

// A claim's prose is a whole sentence that stands alone.
func TestShippedClaimsAreSentences(t *testing.T) {
	for _, s := range shippedStudies(t) {
		for _, c := range s.Claims {
			if why := notASentence(c.Prose); why != "" {
				t.Errorf("%s: %s: %q %s", c.Pos, c.ID, c.Prose, why)
			}
			if c.Own && c.Published != "" {
				t.Errorf("%s: %s is our own, and no one can have printed figures for it", c.Pos, c.ID)
			}
		}
	}
	for prose, want := range map[string]bool{
		"The stack is faster than the heap at every size": false, "M_MMAP_THRESHOLD=0 costs the same": false,
		"": true, "the stack wins": true, "And halves the bytes": true, "and halves the bytes": true, "Faster": true,
		"Ours: a pool is faster": true, "The pool is faster (published: 3 times)": true, "The stack wins.": true,
		"By a tenth and more at 32 KiB": true, "With arenas the benchmark allocates half the bytes": true,
		"Nor does a pool help at 32 KiB": true, "Which is linear in the size": true,
	} {
		if got := notASentence(prose) != ""; got != want {
			t.Errorf("%q: %v", prose, notASentence(prose))
		}
	}
}

// notASentence says why a claim's prose does not stand alone, or "".
func notASentence(prose string) string {
	first, _, several := strings.Cut(prose, " ")
	r, _ := utf8.DecodeRuneInString(prose)
	lower := strings.ToLower(prose)
	switch {
	case prose == "":
		return "is missing"
	case !unicode.IsUpper(r):
		return "begins in lower case"
	case !several || len(strings.Fields(prose)) < 4:
		return "is no sentence"
	case slices.Contains(dependent, strings.ToLower(first)):
		return "goes on with another sentence"
	case strings.HasPrefix(lower, "ours:") || strings.Contains(lower, "published:") ||
		strings.Contains(lower, "(as published"):
		return "says what an attribute says: [own] or [published: FIGURES]"
	case strings.HasSuffix(prose, "."):
		return "ends with a full stop: it is quoted within a line"
	}
	return ""
}

// Lines of study.toml can be read side by side with code.
func TestShippedLinesAreShort(t *testing.T) {
	const most = 120
	for _, s := range shippedStudies(t) {
		files := []string{s.Show.File}
		for _, d := range s.Directives {
			if !slices.Contains(files, d.Pos.File) {
				files = append(files, d.Pos.File)
			}
		}
		for _, file := range files {
			text, err := os.ReadFile(path.Join("../../../study", file))
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				counts := path.Ext(file) == ".toml" || strings.HasPrefix(line, prefix)
				if n := utf8.RuneCountInString(line); counts && n > most {
					t.Errorf("%s:%d: %d columns, and %d are allowed", file, i+1, n, most)
				}
			}
		}
	}
}

// A claim's words name the bound that it is tested by, as a number or in words: what is read and
// what is judged are one. A range with "about" names its middle.
func TestShippedClaimsSayTheirBounds(t *testing.T) {
	for _, s := range shippedStudies(t) {
		for _, c := range s.Claims {
			if why := unsaid(c); why != "" {
				t.Errorf("%s: claim %s: %q does not say %s", s.Name, c.ID, c.Prose, why)
			}
		}
	}
}

// unsaid returns the bound that a claim's words leave out; "".
func unsaid(c Claim) string {
	if c.Kind != Ratio && c.PerKey == "" && c.Unit != "sec/op" && !strings.HasSuffix(c.Unit, "share") || c.Kind == Linear {
		return "" // counts say themselves
	}
	says := strings.ReplaceAll(c.Prose, "percent", "%")
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(says, w) })
	}
	number := func(v float64) bool {
		return has(fmt.Sprintf("%g", v), fmt.Sprintf("%.3g%%", v*100), fmt.Sprintf("%.3g to ", v*100)) || v >= 1e6 && has(fmt.Sprintf("%g", v/1e9), fmt.Sprintf("%g", v/1e6)) ||
			v < 1e-3 && has(fmt.Sprintf("%g", math.Round(v*1e6)), fmt.Sprintf("%g", math.Round(v*1e9))) ||
			v == 2 && has("twice") || v == 0.9 && has("Nine of ten") || v == 0.5 && has("half") || v == 4 && has("about")
	}
	switch c.Cond.Op {
	case ">", ">=", "<", "<=":
		if v := c.Cond.Lo.Number; v != 1 && v != 0 && c.Cond.Lo.Key == "" && !number(v) {
			return fmt.Sprint(v)
		}
	case "in":
		lo, hi := c.Cond.Lo.Number, c.Cond.Hi.Number
		within := has(fmt.Sprintf("within %g%%", math.Round((hi-1)*100))) || has(fmt.Sprintf("within %g times", hi))
		if !within && !has("about") && !(number(lo) && number(hi)) {
			return fmt.Sprintf("%g to %g", lo, hi)
		}
	}
	return ""
}
