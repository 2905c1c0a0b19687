package memcost_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A mutant is a plausible mistake in the method: one text of a file replaced by another.
type mutant struct {
	name     string
	file     string
	old, new string
	packages []string // whose tests must notice it
}

// Mistakes that would make the instrument say wrong things. Each must fail a test.
var mutants = []mutant{
	{"alpha doubled: the interval", "internal/method/stat/confseq.go",
		"limit := -math.Log(alpha)", "limit := -math.Log(2 * alpha)", []string{"stat"}},
	{"alpha doubled: one-sided bets staked twice", "internal/method/stat/mixture.go",
		"sum += share *", "sum += 2 * share *", []string{"stat"}},
	{"alpha doubled: half of the bets forgotten", "internal/method/stat/mixture.go",
		"sum += both.bets[k] / 2 *", "sum += both.bets[k] *", []string{"stat"}},
	{"the normal part stakes more than its bets", "internal/method/stat/mixture.go",
		"q := 1 + normalSD*normalSD*m.squares/tau\n\tnormal := normalSD * normalSD * absU * absU / (2 * q)",
		"q := 1 + normalSD*m.squares/tau\n\tnormal := normalSD * absU * absU / (2 * q)", []string{"stat"}},
	{"a claim fails by the sum over its places, not their mean", "internal/method/claim/refute.go",
		"- math.Log(float64(len(x)))", "- math.Log(1)", []string{"claim"}},
	{"a claim holds when it is right on one side", "internal/method/claim/element.go",
		"\t\tif n == 0 {\n\t\t\treturn e\n\t\t}\n", "\t\tif n == 0 {\n\t\t\tcontinue\n\t\t}\n",
		[]string{"claim"}},
	{"equal within the margin is not denied", "internal/method/claim/element.go",
		"lo *= 1 + equivalence", "lo *= 1 - equivalence", []string{"claim"}},
	{"what a cost's first rounds agree upon is kept", "internal/method/claim/basis.go",
		"if b.own && len(b.each) > 0 {\n\t\treturn []int{len(b.each)}", "if false {\n\t\treturn nil",
		[]string{"claim"}},
	{"clip removed", "internal/method/stat/eprocess.go",
		"\tif u > clipAt {\n\t\treturn clipAt\n\t}\n\tif u < -clipAt {\n\t\treturn -clipAt\n\t}\n", "",
		[]string{"stat"}},
	{"the scale looks at future rounds", "internal/method/stat/grid.go",
		"scale := madScale * medianAbs(sorted, theta)",
		"scale := madScale * medianAbs(r.sorted[len(r.sorted)-1], theta)", []string{"stat"}},
	{"intersection in the wrong direction", "internal/method/stat/interval.go",
		"Interval{max(i.Lo, other.Lo), min(i.Hi, other.Hi)}", "Interval{min(i.Lo, other.Lo), max(i.Hi, other.Hi)}",
		[]string{"stat"}},
	{"an empty interval decides", "internal/method/stat/interval.go",
		"\tcase iv.IsEmpty():\n\t\treturn Open\n", "", []string{"stat"}},
	{"decided one round early", "internal/method/stat/mixture.go",
		"\t\tn++\n\t}\n\treturn n\n", "\t\tn++\n\t}\n\treturn n - 1\n", []string{"stat"}},
	{"e-BH without the number of hypotheses", "internal/method/stat/many.go",
		"math.Log(float64(len(logE)) / (alpha * float64(i+1)))", "math.Log(1 / (alpha * float64(i+1)))",
		[]string{"stat"}},
	{"discoveries keep their narrow intervals", "internal/method/claim/many.go",
		"fn(selected[i], alpha*float64(k)/float64(len(logE)))", "fn(selected[i], alpha+0*float64(k))",
		[]string{"claim"}},
	{"changes are not corrected for their number", "internal/method/claim/many.go",
		"c.Discovery = selected && c.Doubt == \"\"", "c.Discovery = c.basis.apart() > 3 && c.Doubt == \"\"",
		[]string{"claim"}},
	{"rounds that depend on each other count in full", "internal/method/stat/dependence.go",
		"return max(1+tauSlope*r, (1+r)/(1-r))", "return 1", []string{"stat"}},
	{"a root of what is lost alone", "internal/method/stat/mixture.go",
		"absU := math.Abs(m.sumU) / tau", "absU := math.Abs(m.sumU)", []string{"stat"}},
	{"autocorrelation of raw values", "internal/method/stat/dependence.go",
		"z[i] = standardize(x-centre, scale)", "z[i] = x - centre + 0*scale", []string{"stat"}},
	{"a comparison is its own neighbour", "internal/method/stat/dependence.go",
		"others := p.rounds - n; others > 0", "others := p.rounds; others > 0", []string{"stat"}},
	{"rounds of one link count as if of many", "internal/method/stat/layouts.go",
		"k := float64(len(means))\n\tlooks", "k := float64(len(d))\n\tlooks", []string{"stat"}},
	{"layouts are looked at as if once", "internal/method/stat/layouts.go",
		"looks := float64(min(max(len(d), layoutLooks), layoutLooksMax)) / layoutLooks", "looks := 1.0",
		[]string{"stat"}},
	{"links that stand out are lent what is usual", "internal/method/stat/links.go",
		"lent *= min(1, f.Survival(t.between/usual)/commonP)", "_ = f", []string{"stat"}},
	{"a comparison lends to itself", "internal/method/stat/links.go",
		"\tl.count(t, -1)\n", "", []string{"stat"}},
	{"links are not asked", "internal/method/claim/basis.go",
		"out[i] = out[i].Hull(b.lent().Interval(b.each, b.links, alpha))",
		"_ = b.lent()", []string{"claim"}},
	{"rare counts in short blocks", "internal/method/stat/sums.go",
		"if min(nonZero(a), nonZero(b))*size >= len(a) {", "if size > 0 {", []string{"stat"}},
	{"kinds that agree by chance", "internal/method/stat/regress.go",
		"q := max(1, l.squares/freedom)", "q := l.squares / freedom", []string{"stat"}},
	{"three kinds decide", "internal/method/stat/regress.go",
		"const LeastKinds = 4", "const LeastKinds = 3", []string{"stat"}},
	{"the hypothesis is one value", "internal/method/stat/sided.go",
		"\tfor _, theta := range allowedGrid(d, lo, hi) {\n\t\tleast =",
		"\tfor _, theta := range allowedGrid(d, lo, hi)[:1] {\n\t\tleast =", []string{"stat"}},
	{"coin removed", "internal/measure/plan/round.go",
		"rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })", "", []string{"plan"}},
	{"sides take turns", "internal/measure/plan/round.go",
		"rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })",
		"if round%2 == 1 {\n\t\t\t\tslices.Reverse(ts)\n\t\t\t}", []string{"plan"}},
	{"one coin for all comparisons", "internal/measure/plan/round.go",
		"rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })",
		"stream(o.Seed, \"coin\", round).Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })",
		[]string{"plan"}},
	{"cases of a ratio without a coin", "internal/measure/plan/sequence.go",
		"if rng.IntN(2) == 1 {\n\t\t\t\tpr[0]", "if false {\n\t\t\t\tpr[0]", []string{"plan"}},
	{"what is decided is measured on", "internal/method/claim/wait.go",
		"case v.Status != Undecided || e.Status != Undecided ||", "case", []string{"sample"}},
	{"pairing broken: with the other side's next round", "internal/method/series/pair.go",
		"at[i] >= len(m.Rounds) || m.Rounds[at[i]] != round ||", "at[i] >= len(m.Rounds) ||",
		[]string{"series", "claim"}},
	{"pairing broken: in the order of what was measured", "internal/method/series/pair.go",
		"\t\t\trow[i] = vs[at[i]]\n", "\t\t\trow[i] = vs[min(at[0], len(vs)-1)]\n", []string{"series", "claim"}},
	{"excluded rounds look at results", "internal/method/series/pair.go",
		"ok = ok && good(row[i]) &&", "ok = ok && good(row[i]) && row[i] < 100*row[0] &&", []string{"series", "claim"}},
	{"disturbed rounds count", "internal/method/series/pair.go",
		"values[i], void[i] = m.Values(unit), s.voidRounds(m.Group)", "values[i], void[i] = m.Values(unit), nil",
		[]string{"series", "claim"}},
	{"crashed samples vanish", "internal/method/claim/basis.go",
		"\tif e.Crashed > 0 {\n\t\te.Doubt = Crashes\n\t}\n", "", []string{"claim"}},
	{"a busy machine decides", "internal/method/claim/basis.go",
		"if b.about.Doubt == \"\" && d.Busy && !alike {", "if false {", []string{"claim"}},
}

// Each mistake fails a test: what the tests say is not only that the code does what it
// does. It prints for each the test that noticed it.
func TestMutants(t *testing.T) {
	long(t)
	failed := regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	killed, tried := 0, 0
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			tried++
			out, err := m.test(t)
			var exit *exec.ExitError
			by := failed.FindAllStringSubmatch(out, -1)
			switch {
			case err == nil:
				t.Errorf("%s: no test of %s notices %q in %s", m.name, strings.Join(m.packages, ", "), m.new, m.file)
			case !errors.As(err, &exit):
				t.Fatal(err)
			case len(by) == 0:
				t.Errorf("%s: no test failed, and go test ended with %v:\n%s", m.name, err, out)
			default:
				killed++
				fmt.Printf("mutant %-55s killed by %s\n", m.name, by[len(by)-1][1])
			}
		})
	}
	fmt.Printf("mutants of the method: %d of %d killed\n", killed, tried)
}

// The texts that mutants replace are there, once each.
func TestMutantsApply(t *testing.T) {
	for _, m := range mutants {
		if _, err := m.text(); err != nil {
			t.Error(err)
		}
	}
	if len(mutants) < 8 {
		t.Errorf("only %d mutants", len(mutants))
	}
}

// text returns the file with the mistake.
func (m mutant) text() (string, error) {
	text, err := os.ReadFile(filepath.FromSlash(m.file))
	if err != nil {
		return "", fmt.Errorf("mutant %q: %w", m.name, err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("mutant %q: %s has %q %d times; write the mistake anew for what stands there now", m.name,
			m.file, m.old, n)
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}

// test runs the tests of the mutant's packages with its file in place of ours.
func (m mutant) test(t *testing.T) (out string, err error) {
	t.Helper()
	text, err := m.text()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	original, err := filepath.Abs(filepath.FromSlash(m.file))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: file}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"test", "-overlay=" + list, "-short", "-failfast", "-count=1", "-vet=off", "-p=1"}
	for _, p := range m.packages {
		args = append(args, "./internal/"+p)
	}
	cmd := exec.Command("go", args...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "MEMCOST_LONG=") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	got, err := cmd.CombinedOutput()
	if strings.Contains(string(got), "[build failed]") {
		t.Fatalf("mutant %q does not compile:\n%s", m.name, got)
	}
	return string(got), err
}
