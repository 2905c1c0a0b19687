package blocks

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memcost/internal/report/result"
)

// What is drawn, and what stands in the tables, are the figures of the data.
func TestMarksAndTablesMatchTheData(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]*result.Answer{
		"shipped": {shipped(t)}, "two runs": {fixture(t, "healthy"), fixture(t, "arms")},
		"troubled": {fixture(t, "troubled")}, "sides": {fixture(t, "sides")},
		"plain": {made(t, &folder{cpu: "x", rounds: 9, studies: []madeStudy{plain(200)}})},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "", answers...)
			p.Check("the page says that it is ready", `document.documentElement.dataset.ready === "true"`)
			p.draw()
			pictures := p.pictures()
			if len(pictures) == 0 {
				t.Fatal("no picture")
			}
			for _, x := range pictures {
				p.matches(x)
			}
		})
	}
}

// inBrowser is a picture as it stands in the browser, beside its data.
type inBrowser struct {
	Data struct {
		ID, Kind, By, Unit string
		Columns            []string
		Sets               []struct {
			Set  int
			Rows []struct {
				Label, Value string
				Cells        []*[4]*float64
			}
		}
		Evidence any
	}
	Images    int        // svg elements with role=img and a name
	Marks     int        // dots
	Intervals int        // of a forest
	Expected  int        // evidence: dots that its data ask for
	Table     [][]string // below the header
	Header    []string
}

func (p *tab) pictures() []inBrowser {
	p.Helper()
	return eval[[]inBrowser](p, `data.pictures.map(p => {
		const f = document.getElementById(p.id), q = s => [...f.querySelectorAll(s)];
		const texts = es => [...es].map(e => e.textContent.trim());
		const e = p.evidence;
		const expected = p.kind === "timeline" ? e.points.length
			: p.kind === "strips" ? e.flatMap(s => s.ratios).filter(r => r > 0).length
			: p.kind === "rounds" ? e.flatMap(d => d.ratios).length
			: p.kind === "narrowing" ? e.flatMap(d => d.points).length : 0;
		return {
			data: {...p, evidence: null},
			images: q(".drawing svg[role=img]").filter(s => s.ariaLabel.includes(p.sentence)).length,
			marks: q(".drawing .figure circle, .drawing .figure path").length,
			intervals: q(".drawing .interval line").length,
			expected,
			table: q("details.figures tbody tr").map(r => texts(r.cells)),
			header: texts(q("details.figures thead tr:last-child th")),
		};
	})`)
}

func (p *tab) matches(x inBrowser) {
	p.Helper()
	d := x.Data
	if x.Images != 1 {
		p.Errorf("%s (%s): %d images that say what they show", d.ID, d.Kind, x.Images)
	}
	if d.Sets == nil {
		if x.Marks != x.Expected || x.Expected == 0 {
			p.Errorf("%s (%s): %d dots for %d figures", d.ID, d.Kind, x.Marks, x.Expected)
		}
		if len(x.Table) == 0 {
			p.Errorf("%s (%s): an empty table", d.ID, d.Kind)
		}
		return
	}
	figures, intervals, zeros := 0, 0, 0
	for _, s := range d.Sets {
		for _, r := range s.Rows {
			for c, f := range r.Cells {
				if f == nil {
					continue
				}
				if *f[0] <= 0 {
					zeros++ // a logarithmic axis has no place for it; the table has
				} else if figures++; f[1] != nil && f[2] != nil && *f[1] > 0 {
					intervals++
				}
				if !x.tells(s.Set, d.Columns[c], r.Label, d.Unit, *f[0], p) {
					p.Errorf("%s (%s): no cell of the table tells %s of %s: %g; the table:\n%v", d.ID, d.Kind,
						d.Columns[c], r.Label, *f[0], x.Table)
				}
			}
		}
	}
	if x.Marks != figures {
		p.Errorf("%s (%s): %d dots for %d figures (and %d that are not above zero)", d.ID, d.Kind, x.Marks, figures,
			zeros)
	}
	if d.Kind == "forest" && x.Intervals != intervals {
		p.Errorf("%s: %d intervals drawn, %d known", d.ID, x.Intervals, intervals)
	}
}

// tells reports whether the table has the figure in the row and column where it
// belongs.
func (x *inBrowser) tells(set int, column, row, unit string, value float64, p *tab) bool {
	p.Helper()
	label := eval[string](p, fmt.Sprintf("data.sets[%d].label", set))
	for _, r := range x.Table {
		if r[0] != row {
			continue
		}
		for i := 1; i < len(r); i++ {
			if x.Header[i] != column && x.Header[i] != label+": "+column {
				continue
			}
			got, err := quantity(r[i])
			if err != nil {
				p.Errorf("%v", err)
			}
			return math.Abs(got-value) <= 0.006*math.Abs(value)
		}
	}
	return false
}

var scales = map[string]float64{"": 1, "×": 1, "ps": 1e-12, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "B": 1,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	"steps": 1, "B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "op/s": 1, "kop/s": 1e3, "Mop/s": 1e6, "Gop/s": 1e9}

var leading = regexp.MustCompile(`^(-?[\d.]+(?:e[-+]?\d+)?) ?([^\s\d\[±]*)`)

// quantity reads the number at the head of a cell: 19.0 ns [18.2, 19.9].
func quantity(s string) (float64, error) {
	m := leading.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("the cell %q starts with no number", s)
	}
	scale, ok := scales[strings.TrimSpace(m[2])]
	if !ok {
		return 0, fmt.Errorf("the cell %q has the unit %q", s, m[2])
	}
	x, err := strconv.ParseFloat(m[1], 64)
	return x * scale, err
}
