package whypage

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memcost/internal/show/pagetest"
	"memcost/internal/sites"
)

var update = flag.Bool("update", false, "write the golden file of testdata anew")

var (
	ownStyle = regexp.MustCompile(`(?s)<style>.*?</style>`)
	scripted = regexp.MustCompile(`(?s)<script>.*?</script>`)
	licence  = regexp.MustCompile(`(?s)(Licence of d3.*?<pre>).*?(</pre>)`)
	hashes   = regexp.MustCompile(`(&#39;sha256-.*?&#39; ?)+`)
	data     = regexp.MustCompile(`(?s)<script type="application/json" id="data">.*?</script>`)
)

// golden is a page without what every page has.
func golden(html string) string {
	html = scripted.ReplaceAllString(ownStyle.ReplaceAllString(html, "STYLE"), "SCRIPT")
	return hashes.ReplaceAllString(licence.ReplaceAllString(html, "${1}LICENCE$2"), "HASHES")
}

func TestGolden(t *testing.T) {
	r, o := fixture(t)
	got, file := golden(render(t, r, o)), filepath.Join("testdata", "why.golden.html")
	pagetest.Golden(t, file, got, *update)
}

// What stands on a page that has something missing.
func TestWhatIsMissing(t *testing.T) {
	for name, x := range map[string]struct {
		change   func(r *sites.Report, o *Options)
		has, not []string
	}{
		"nothing": {func(r *sites.Report, o *Options) { *r = sites.Report{Mode: "benchmarks"} },
			[]string{"No site of these packages allocated", "Nothing was joined"},
			[]string{`<table class="sites`, `<figure`, `class="skip"`}},
		"static": {static, []string{"Nothing was run. The compiler reports certain heap allocations at 7 sites",
			`<table class="sites static">`, "The sites that may allocate", "Allocation sites by cause"},
			[]string{"objects/op", "could go", `name="measure"`, "not measured"}},
		"no runs under the CPU profiler": {func(r *sites.Report, o *Options) {
			for i := range r.Benchmarks {
				b := &r.Benchmarks[i]
				b.Time, b.Malloc, b.Assist, b.GC = sites.Interval{}, sites.Interval{}, sites.Interval{}, sites.Interval{}
			}
			for i := range r.Sites {
				for j := range r.Sites[i].Costs {
					c := &r.Sites[i].Costs[j]
					c.Share, c.Malloc, c.Assist, c.GC = sites.Interval{}, sites.Interval{}, sites.Interval{}, sites.Interval{}
				}
			}
		}, []string{`<td data-label="share of CPU">not measured</td>`, "<dt>shares of CPU</dt><dd>not measured</dd>"},
			[]string{`value="cpu"`, ">0.0%"}},
		"no source": {func(r *sites.Report, o *Options) {
			o.Read = func(string) ([]byte, error) { return nil, errors.New("gone") }
		}, []string{`<span class="marked"><i>   41</i>  r.Values = append(r.Values, n)`}, []string{"<i>   42</i>"}},
		"a warning": {func(r *sites.Report, o *Options) {
			r.Warnings = []string{"the runtime could not be built anew"}
			r.Packages[0].Partial = []string{"cgo files are left out"}
		}, []string{`<p class="warning">the runtime could not be built anew</p>`,
			`<p class="warning">example.com/codec: cgo files are left out</p>`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, o := fixture(t)
			x.change(r, &o)
			html := golden(render(t, r, o))
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

// static makes a report one for which nothing was run.
func static(r *sites.Report, _ *Options) {
	r.Mode, r.Benchmarks, r.Join = "static", nil, sites.Join{}
	for i := range r.Sites {
		s := &r.Sites[i]
		s.Rank, s.Costs, s.Sizes, s.Gain, s.Price = 0, nil, nil, nil, nil
		if s.Would != "" {
			s.Class, s.Would = s.Would, ""
		}
	}
}

// many makes a report of n sites in three packages.
func many(r *sites.Report, n int) {
	one := r.Sites[:10]
	r.Packages = []sites.Package{{Path: "example.com/a"}, {Path: "example.com/b"}, {Path: "example.com/c"}}
	var out []sites.Site
	for i := range n {
		s := one[i%10]
		s.ID, s.Rank, s.Package = fmt.Sprintf("%012x", i), i+1, r.Packages[i%3].Path
		s.Costs = slices.Clone(s.Costs)
		for j := range s.Costs {
			s.Costs[j].Bytes /= float64(1 + i)
			s.Costs[j].Objects /= float64(1 + i)
		}
		s.Flow = []string{"the result of append goes to r.Values, which is a field of what r points to",
			"r escapes to the heap: it is returned by a function that is not inlined", "and a third step"}
		out = append(out, s)
	}
	r.Sites = out
}

func TestManySitesStaySmall(t *testing.T) {
	for _, n := range []int{500, 5000} {
		r, o := fixture(t)
		many(r, n)
		html := render(t, r, o)
		t.Logf("%d sites: %d bytes", n, len(html))
		if len(html) > 2_000_000 {
			t.Errorf("the page of %d sites has %d bytes", n, len(html))
		}
		if got := strings.Count(html, `<tr class="figures">`); got != min(n, rowsMost) {
			t.Errorf("the page of %d sites shows %d", n, got)
		}
		if n > rowsMost && !strings.Contains(html, "4,000 more sites") {
			t.Error("the page does not say that sites are left out")
		}
	}
}
