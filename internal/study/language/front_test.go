package language

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A shipped study has on the front of a report a short question, a picture where it draws
// any, and a sentence for both verdicts of each claim that may answer.
func TestShippedStudiesHaveAFront(t *testing.T) {
	for _, s := range shippedStudies(t) {
		if n := len(strings.Fields(s.Question)); n > 15 || strings.Contains(s.Question, "\n") {
			t.Errorf("%s: its question has %d words: %s", s.Name, n, s.Question)
		}
		if s.Front.Key == "" && len(s.Pictures) > 0 {
			t.Errorf("%s: study.toml names no picture of its card: key = %q", s.Name, s.Pictures[0].Title)
		}
		for _, id := range s.Answer {
			for _, verdict := range []string{Holds, Fails, Short} {
				if s.Front.Say[id][verdict] == "" {
					t.Errorf("%s: %s may answer, and [say] has no %s.%s", s.Name, id, id, verdict)
				}
			}
		}
		for id := range s.Front.Say {
			if !slices.Contains(s.Answer, id) {
				t.Errorf("%s: [say] has a sentence for %s, which is not in answer", s.Name, id)
			}
		}
		for _, a := range s.Front.Article {
			if a.Link != "" && !strings.HasPrefix(a.Link, "https://") || a.Year < 2000 ||
				len(a.NotTested) == 0 || len(a.Conditions) == 0 {
				t.Errorf("%s: the article %q lacks a year, what is not tested, or conditions", s.Name, a.Title)
			}
		}
	}
}

// The sentences of the shipped studies are short and whole, and a ratio in them names both
// sides.
func TestShippedSentencesArePlain(t *testing.T) {
	for _, s := range shippedStudies(t) {
		for id, verdicts := range s.Front.Say {
			for verdict, text := range verdicts {
				if verdict == Short {
					if !strings.ContainsAny(text, "{") || strings.HasSuffix(text, ".") || len(text) > 90 {
						t.Errorf("%s: say.%s.short: %q is no line of a table", s.Name, id, text)
					}
				} else if why := notPlain(text); why != "" {
					t.Errorf("%s: say.%s.%s: %q %s", s.Name, id, verdict, text, why)
				}
			}
		}
		for _, a := range s.Front.Advise {
			if why := notPlain(a.Because); why != "" {
				t.Errorf("%s: advise %s: because: %q %s", s.Name, a.Claim, a.Because, why)
			}
			if strings.HasSuffix(a.Do, ".") || len(strings.Fields(a.Do)) > 16 || lowerFirst(a.Do) ||
				!lowerFirst(a.When) {
				t.Errorf("%s: advise %s: do = %q, when = %q", s.Name, a.Claim, a.Do, a.When)
			}
		}
	}
	for text, want := range map[string]bool{
		"The heap costs {lo} to {hi} times the stack.": false, "M_TOP_PAD=0 costs {value} times the default.": false,
		"The heap costs {lo} times the stack":            true, // no full stop
		"The stack is {value} times faster.":             true,
		"heap/stack is {value}×.":                        true,
		"The heap costs more than the stack at {at}.":    true,
		"It costs {value} at place=heap.":                true,
		strings.Repeat("The heap costs it. ", 8) + "So.": true,
	} {
		if got := notPlain(text) != ""; got != want {
			t.Errorf("%q: %q", text, notPlain(text))
		}
	}
}

var (
	hole = regexp.MustCompile(`\{[^}]*\}`)
	// Words that leave open which side is dearer, and names as cases have them.
	notSaid = regexp.MustCompile(`×|\b(faster|slower|cheaper than|less|more)\b|\b[a-z]+=\S`)
)

// notPlain says why a sentence of the front is not one, or "".
func notPlain(text string) string {
	// A place has up to two words: "64 KiB".
	words := strings.Fields(hole.ReplaceAllStringFunc(text, func(h string) string {
		if slices.Contains([]string{"{n}", "{lo}", "{hi}", "{value}", "{failing}", "{inverse}", "{times}"}, h) {
			return "2.0"
		}
		return "64 KiB"
	}))
	switch {
	case !strings.HasSuffix(text, "."):
		return "does not end with a full stop"
	case lowerFirst(text):
		return "begins in lower case"
	case len(words) > 30:
		return "has more than 30 words"
	case notSaid.MatchString(text):
		return "says " + notSaid.FindString(text)
	}
	return ""
}

func lowerFirst(text string) bool { return text != "" && text[0] >= 'a' && text[0] <= 'z' }
