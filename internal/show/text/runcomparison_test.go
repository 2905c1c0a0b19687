package text

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/report/result"
	"memcost/internal/testkit"
)

func compareText(t testing.TB, s Style, answers ...*result.Answer) string {
	t.Helper()
	var b bytes.Buffer
	if err := Compare(&b, answers, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func oldNew(t testing.TB) []*result.Answer {
	return []*result.Answer{readFile(t, "files/old.txt"), readFile(t, "files/new.txt")}
}

func TestCompareGolden(t *testing.T) {
	escapes := readRun(t, "escapes")
	evil := *escapes
	evil.Dir += "\x1b[31m`|"
	for name, answers := range map[string][]*result.Answer{
		"files": oldNew(t),
		"runs":  {readRun(t, "arms"), readRun(t, "troubled"), readFile(t, "healthy/samples.txt")},
		"evil":  {escapes, &evil},
	} {
		testkit.Golden(t, "testdata/"+filepath.Join("files", name+".compared.txt"), compareText(t, Style{}, answers...))
		testkit.Golden(t, "testdata/"+filepath.Join("files", name+".compared.md"), markdown(t, answers...))
		for _, style := range []Style{{}, {Width: 100}, {Width: 40}} {
			safe(t, compareText(t, style, answers...), style)
		}
	}
}

// What has no case in common is not compared.
func TestCompareNothing(t *testing.T) {
	for want, texts := range map[bool][2]string{true: {lines("pkg: p\n", 6, "X", 1), lines("pkg: q\n", 6, "X", 2)},
		false: {lines("", 6, "X", 1), lines("", 6, "X", 2)}} {
		text := compareText(t, Style{}, read(t, "a", texts[0]), read(t, "b", texts[1]))
		if (text == "") != want {
			t.Errorf("nothing in common is %v: text %q", want, text)
		}
	}
}

func TestCompareManyCases(t *testing.T) {
	many := func(dir string) *result.Answer {
		var costs []any
		for i := range 10_000 {
			costs = append(costs, fmt.Sprintf("Case/with_a_name_of_some_length/i=%d-8", i), 1000+i)
		}
		return read(t, dir, lines("pkg: p\n", 6, costs...))
	}
	answers := []*result.Answer{many("a"), many("b")}
	md := markdown(t, answers...)
	if n := strings.Count(md, "| `Case/"); n < 300 || !strings.Contains(md, "cases left out for want of room") {
		t.Errorf("%d cases in Markdown", n)
	}
	if n := strings.Count(compareText(t, Style{}, answers...), "\n"); n < 10_000 {
		t.Errorf("%d lines", n)
	}
	if err := Write(io.Discard, answers[:1], Style{}); err != nil {
		t.Error(err)
	}
}

// read returns the answer of a text.
func read(t testing.TB, name, text string) *result.Answer {
	t.Helper()
	a, err := result.ReadFile(name, strings.NewReader(text), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// lines makes a benchmark file: n samples of each case around a cost in ns.
func lines(config string, n int, costs ...any) string {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	var b strings.Builder
	b.WriteString(config)
	for i := 0; i < len(costs); i += 2 {
		for range n {
			fmt.Fprintf(&b, "Benchmark%s 100 %.5g ns/op\n", costs[i],
				float64(costs[i+1].(int))*(1+0.01*rng.NormFloat64()))
		}
	}
	return b.String()
}
