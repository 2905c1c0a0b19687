package diffpage

import (
	"flag"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memcost/internal/show/pagetest"
	"memcost/internal/sites"
	"memcost/internal/sites/diff"
)

var update = flag.Bool("update", false, "write the golden file of testdata anew")

var (
	ownStyle = regexp.MustCompile(`(?s)<style>.*?</style>`)
	scripted = regexp.MustCompile(`(?s)<script>.*?</script>`)
	hashes   = regexp.MustCompile(`(&#39;sha256-.*?&#39; ?)+`)
)

// golden is a page without what every page has.
func golden(html string) string {
	return hashes.ReplaceAllString(scripted.ReplaceAllString(ownStyle.ReplaceAllString(html, "STYLE"), "SCRIPT"),
		"HASHES")
}

func TestGolden(t *testing.T) {
	got, file := golden(render(t, diffs(t), Options{Invocation: "memcost why ./codec --since v1.2.0",
		Sites: "sites.html"})),
		filepath.Join("testdata", "diff.golden.html")
	pagetest.Golden(t, file, got, *update)
}

// What stands on a page that has something missing.
func TestWhatIsMissing(t *testing.T) {
	static := func(r *sites.Report) *sites.Report {
		r.Mode, r.Benchmarks = "static", nil
		for i := range r.Sites {
			r.Sites[i].Costs = nil
		}
		return r
	}
	old, now := reports(t)
	other := report(t)
	other.Mode = "profile"
	for name, x := range map[string]struct {
		diffs    []diff.Diff
		has, not []string
	}{
		"nothing": {nil, []string{"There are no two reports to compare."}, []string{"<table", "<figure"}},
		"empty reports": {diff.CompareAll(&sites.Report{}, &sites.Report{}),
			[]string{"There is no site that both sides have", "No site is gone, new or changed."},
			[]string{"<table", "<figure"}},
		"benchmarks on one side, or on none": {diffs(t), []string{"Only 4f5c1d2 has 1 benchmark: Stream.",
			"Index failed on both sides: b.Fatal: no records"}, nil},
		"nothing changed": {diff.CompareAll(report(t), report(t)),
			[]string{"No site is gone, new or changed: 12 sites cost what they did", "the same: 12",
				`<table class="benches">`}, []string{"<figure", `<table class="sites`}},
		"static": {diff.CompareAll(static(old), static(now)),
			[]string{`<table class="sites static"`, "the compiler and the binary; nothing was run"},
			[]string{"<figure", `<table class="benches">`, `data-sort="bytes"`}},
		"modes differ": {diff.CompareAll(report(t), other),
			[]string{"their costs are not compared"}, []string{"<figure", "not measured"}},
		"several": {append(diffs(t), diffs(t)...),
			[]string{`<nav aria-label="Comparisons">`, `id="c1-part"`, "Which allocations changed?"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			html := golden(render(t, x.diffs, Options{}))
			pagetest.Structure(t, html)
			for _, s := range x.has {
				if !strings.Contains(html, s) {
					t.Errorf("the page lacks %q", s)
				}
			}
			for _, s := range x.not {
				if strings.Contains(html, s) {
					t.Errorf("the page has %q", s)
				}
			}
		})
	}
}

// The bars of a picture add up to what is said to be all, and lie within the drawing.
func TestBarsAddUp(t *testing.T) {
	m := maker{d: &diffs(t)[0]}
	p, _ := m.part()
	if len(p.Pictures) != 2 {
		t.Fatalf("%d pictures", len(p.Pictures))
	}
	// In Decode 120 bytes more, and half an object less, are at no site that changed.
	for _, x := range []struct {
		picture, measure int
		bars             string
	}{
		{0, 0, "less -2 KiB, rest +120 B, sum -1.88 KiB"}, {0, 1, "less -128, sum -128"},
		{1, 0, "gone -208 B, new +48 B, gone -16 B, sum -176 B"}, {1, 1, "gone -4, new +1, gone -1, sum -4"},
	} {
		var got []string
		for _, b := range p.Pictures[x.picture].Measures[x.measure].Bars {
			got = append(got, b.Kind+" "+b.Figure)
			start, _ := strconv.ParseFloat(b.Start, 64)
			if width, _ := strconv.ParseFloat(b.Width, 64); start < 0 || width <= 0 || start+width > 100.01 {
				t.Errorf("%+v lies outside", b)
			}
		}
		if s := strings.Join(got, ", "); s != x.bars {
			t.Errorf("%s: %s; want %s", p.Pictures[x.picture].Measures[x.measure].Title, s, x.bars)
		}
	}
	big := maker{d: &many(t, 100)[0]}
	q, _ := big.part()
	if n := len(q.Pictures[0].Measures[0].Bars); n != barsMost+2 {
		t.Errorf("%d bars", n)
	}
}

func TestManySitesStaySmall(t *testing.T) {
	for _, n := range []int{500, 5000} {
		html := render(t, many(t, n), Options{})
		t.Logf("%d sites: %d bytes", n, len(html))
		if len(html) > 2_000_000 {
			t.Errorf("the page of %d sites has %d bytes", n, len(html))
		}
		if got := strings.Count(html, `<tr class="figures">`); got != min(n, rowsMost) {
			t.Errorf("the page of %d sites shows %d", n, got)
		}
		if n > rowsMost && !strings.Contains(html, "4,200 more sites") {
			t.Error("the page does not say that sites are left out")
		}
	}
}
