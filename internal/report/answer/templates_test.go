package answer

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/report/result"
	"memcost/internal/study/language"
	"memcost/study"
)

// record names a run folder whose verdicts are to be added to those that the templates of
// shipped studies are filled from:
//
//	go test ./internal/report/answer -run TestTemplatesAreUsable -record "$PWD/results/RUN"
var record = flag.String("record", "", "a run folder whose verdicts are to be recorded")

// recordedVerdicts are of a run of the quick profile, by study and claim.
const recordedVerdicts = "testdata/verdicts.json"

func readVerdicts(t *testing.T) map[string]map[string]*result.Verdict {
	t.Helper()
	all := map[string]map[string]*result.Verdict{}
	text, err := os.ReadFile(recordedVerdicts)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// recordVerdicts keeps, of each claim that a sentence or an advice rests on, the verdict on
// the first configuration.
func recordVerdicts(t *testing.T, dir string, studies []*language.Study) {
	t.Helper()
	all := readVerdicts(t)
	a, err := result.Read(dir, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Studies {
		s := &a.Studies[i]
		for _, st := range studies {
			if st.Name != s.Name {
				continue
			}
			kept := map[string]*result.Verdict{}
			for id := range claimsOfFront(st) {
				if v := verdict(judged(s, id)); hasFigure(v) {
					kept[id] = lean(v)
				}
			}
			all[s.Name] = kept
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recordedVerdicts, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// lean returns a verdict without what no sentence says.
func lean(v *result.Verdict) *result.Verdict {
	element := func(e result.Element) result.Element {
		e.Cases, e.CPU, e.Rests = []string{}, nil, nil
		return e
	}
	out := &result.Verdict{Data: v.Data, Status: v.Status, Scope: v.Scope, Counted: v.Counted, Selected: v.Selected}
	for _, e := range v.Elements {
		out.Elements = append(out.Elements, element(e))
	}
	if v.Deciding != nil {
		e := element(*v.Deciding)
		out.Deciding = &e
	}
	return out
}

// claimsOfFront are those that a study's front says something of.
func claimsOfFront(st *language.Study) map[string]bool {
	out := map[string]bool{}
	for id := range st.Front.Say {
		out[id] = true
	}
	for _, a := range st.Front.Advise {
		id, _ := a.Verdict()
		out[id] = true
	}
	return out
}

// Every sentence that a shipped study has can be filled from a run of the quick profile, is
// short then, and says its places in words.
func TestTemplatesAreUsable(t *testing.T) {
	shipped, err := language.ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	if *record != "" {
		recordVerdicts(t, *record, shipped)
	}
	verdicts := readVerdicts(t)
	filledAll := 0
	for _, st := range shipped {
		use := func(where, id, text string) {
			v := verdicts[st.Name][id]
			if v == nil {
				if st.Command == "" {
					t.Errorf("%s: %s: no verdict on %s is recorded: see -record", st.Name, where, id)
				}
				return
			}
			filledAll++
			if why := unusable(text, v); why != "" {
				t.Errorf("%s: %s: %q %s", st.Name, where, text, why)
			}
		}
		for id, verdicts := range st.Front.Say {
			for kind, text := range verdicts {
				use("say."+id+"."+kind, id, text)
			}
		}
		for _, a := range st.Front.Advise {
			id, _ := a.Verdict()
			use("advise "+a.Claim+": do", id, a.Do)
			use("advise "+a.Claim+": because", id, a.Because)
		}
	}
	if filledAll < 60 {
		t.Errorf("%d sentences were filled", filledAll)
	}
}

// keyed is a place as the name of a case has it.
var keyed = regexp.MustCompile(`\b(n|size|load|from|by|gogc) ?[=:] ?\w|\b(n \d|load (alone|full|over|under))`)

// unusable says why a template is none for a verdict, or "".
func unusable(text string, v *result.Verdict) string {
	_, err := language.ParseTemplate(text)
	if err != nil {
		return err.Error()
	}
	s, ok := filled(text, v)
	switch said := s.String(); {
	case !ok:
		return "has a placeholder with nothing to stand for"
	case strings.Contains(said, "  ") || strings.Contains(said, "NaN") ||
		strings.Contains(strings.ReplaceAll(said, unbounded, ""), "?"):
		return "says " + said
	case keyed.MatchString(said):
		return "names a place by its key: " + said
	}
	// An interval is no word: it is set apart from the sentence.
	var words strings.Builder
	for _, p := range s {
		if p.Kind != language.Interval {
			words.WriteString(p.Text)
		}
	}
	if n := len(strings.Fields(words.String())); n > 30 {
		return "has more than 30 words: " + s.String()
	}
	return ""
}

// What the test refuses.
func TestUnusableTemplates(t *testing.T) {
	v := readVerdicts(t)["stackheap"]["C4"]
	for text, want := range map[string]bool{
		"The heap costs {lo} to {hi} times the stack.": false,
		"Up to {last} it costs {value} times as much.": false,
		"Twice the size takes {times} times as long.":  true, // C4 is no exponent
		"At {first.failing} it costs {inverse} times.": true, // C4 holds
		"It costs {value} times as much at n=1000.":    true,
		"It costs {nothing} times as much.":            true,
		strings.Repeat("and it costs ", 11) + "more.":  true,
	} {
		if why := unusable(text, v); (why != "") != want {
			t.Errorf("%q: %q", text, why)
		}
	}
}
