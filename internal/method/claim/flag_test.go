package claim

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// study returns a package with cases and claims.
func askedStudy(t *testing.T, name, cases string, claims ...string) AskedStudy {
	t.Helper()
	var ds []language.Directive
	for i, c := range claims {
		ds = append(ds, language.Directive{Verb: "claim", Text: c, Pos: language.Pos{File: "x_test.go", Line: i + 1}})
	}
	st, err := language.Parse(name, ds, &language.Show{})
	if err != nil {
		t.Fatal(err)
	}
	var all []*series.Series
	for c := range strings.FieldsSeq(cases) {
		r := &benchfmt.Result{Name: benchfmt.Name(c)}
		r.SetConfig("toolchain", "go1.26.8")
		all = append(all, &series.Series{ID: series.ID{Case: c}, Result: r})
	}
	return AskedStudy{Name: name, Study: st, Cases: [][]*series.Series{all}}
}

const encode = "Encode/lib=std/size=16-2 Encode/lib=std/size=64-2 Encode/lib=fast/size=16-2 Encode/lib=fast/size=64-2 "

func TestClaimsFindTheirStudies(t *testing.T) {
	a := askedStudy(t, "a", encode+"Old/small-2 New/small-2 New/huge-2")
	b := askedStudy(t, "b", encode, "claim-1 Encode allocs/op == 0")
	out, warnings, err := Claims([]string{"lib:std / lib:fast > 1 for every size # Fast is faster", "Old / New > 1",
		"toolchain:go1.26.8 allocs/op == 0"}, []AskedStudy{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, ds := range out {
		for _, d := range ds {
			got = append(got, string(rune('a'+i))+" "+d.Pos.String()+" "+d.Text)
		}
	}
	want := `a --claim:1 claim-1 lib:std / lib:fast > 1 for every size # Fast is faster
a --claim:2 claim-2 Old / New > 1
a --claim:3 claim-3 toolchain:go1.26.8 allocs/op == 0
b --claim:1 own-claim-1 lib:std / lib:fast > 1 for every size # Fast is faster
b --claim:3 claim-3 toolchain:go1.26.8 allocs/op == 0`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "leaves out New/huge-2") {
		t.Errorf("warnings: %q", warnings)
	}
}

// Every mistake is the user's, and says what to do.
func TestClaimsThatCannotBeTested(t *testing.T) {
	studies := []AskedStudy{askedStudy(t, "a", encode+"Old/small-2 New/small-2"), askedStudy(t, "b", "Only/a-2 Only/b-2")}
	left := askedStudy(t, "c", "One-2")
	left.Left = askedStudy(t, "c", "Big/size=1-2").Cases
	studies = append(studies, left)
	for claim, want := range map[string]string{
		"lib:std / lib:fast":                    "the unit is missing|--claim 'BenchmarkOld / BenchmarkNew > 1'",
		"BenchmarkOlt / New > 1":                "matches BenchmarkOlt|did you mean Old?",
		"Encode/lib=fsat / Old > 1":             "matches Encode/lib=fsat|did you mean Encode/lib=fast?",
		"lib:std / lib:quick > 1":               "matches lib:quick|the values of lib are std, fast",
		"sise:16 B/op < 1":                      "matches sise:16|did you mean size?",
		"Old / Only > 1":                        "different packages: Old in a, Only in b|of one study or package",
		"lib:std / lib:fast > 1":                "are on the same side|end it with: for every size",
		"Encode / Old > 1":                      "no case of one side has a counterpart|must be alike",
		"lib:std / lib:fast > 1 for every sise": "has the key sise|keys of these cases are lib, size",
		"Encode sec/op < 1 for every sise":      "has no key sise|",
		"Big sec/op < 1":                        "the quick profile leaves out|--full",
	} {
		message, advice, _ := strings.Cut(want, "|")
		err := Check([]string{claim})
		if err == nil {
			_, _, err = Claims([]string{claim}, studies)
		}
		if err == nil || !hint.IsUsage(err) {
			t.Errorf("%s: %v", claim, err)
			continue
		}
		text, hints := hint.Split(err)
		if !strings.HasPrefix(text, "--claim \""+claim+"\": ") || !strings.Contains(text, message) ||
			!strings.Contains(strings.Join(hints, "\n"), advice) {
			t.Errorf("%s: %s, hints %q; want %s", claim, text, hints, want)
		}
	}
}

// A verdict takes the rounds of the first look; those in which one of many cases alone refutes a claim are said beside.
func TestRounds(t *testing.T) {
	many := "X/k=a/size=1-2 X/k=b/size=1-2"
	for _, size := range []string{"2", "3", "4", "5", "6", "7", "8"} {
		many += " X/k=a/size=" + size + "-2 X/k=b/size=" + size + "-2"
	}
	a := askedStudy(t, "a", many+" Y-2", "one k:a / k:b > 1 for every size", "two Y sec/op < 1")
	n := Rounds([]AskedStudy{a}, 0.05, false)
	if n.Claims != 2 || n.Places != 8 || n.Claim != "a one" || n.Most <= n.Least {
		t.Errorf("%+v", n)
	}
	if n.Of("a", "X/k=b/size=3-2") != n.Least || n.Of("a", "Y-2") != n.Least || n.Of("b", "Z") != plan.FirstRounds {
		t.Errorf("%+v", n)
	}
	if n := Rounds(nil, 0.05, true); n.Least != stat.MinRounds(0.05) || n.Of("b", "Z") != n.Least {
		t.Errorf("where configurations are compared: %+v", n)
	}
}
