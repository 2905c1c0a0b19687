package across

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memcost/internal/report/result"
)

// A madeUp machine never existed: it is a copy of one recorded run, with the identity of another machine, its stack
// slower and its heap/stack greater by given factors.
type madeUp struct {
	name, kind   string
	weaker, loss float64
	copies       float64 // bytes a second of the plain copy; 0: it was not measured
}

var timed = regexp.MustCompile(`^(Benchmark\S+\s+\d+\s+)(\S+)( ns/op.*)$`)

// folder writes the run folder of a made-up machine.
func (m madeUp) folder(t *testing.T) string {
	t.Helper()
	const from = "../result/testdata/healthy"
	dir := filepath.Join(t.TempDir(), m.name)
	text, err := os.ReadFile(filepath.Join(from, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var q map[string]any
	if err := json.Unmarshal(text, &q); err != nil {
		t.Fatal(err)
	}
	q["label"] = m.name
	q["machine"].(map[string]any)["hostname"] = m.name
	q["machine"].(map[string]any)["cpuModel"] = m.kind
	if text, err = json.Marshal(q); err != nil {
		t.Fatal(err)
	}
	samples, err := os.ReadFile(filepath.Join(from, "samples.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(samples), "\n")
	for i, l := range lines {
		x := timed.FindStringSubmatch(l)
		if x == nil {
			continue
		}
		v, err := strconv.ParseFloat(x[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		v *= m.weaker
		if strings.Contains(x[1], "place=heap") {
			v *= m.loss
		}
		lines[i] = fmt.Sprintf("%s%.6g%s", x[1], v, x[3])
	}
	if m.copies > 0 {
		lines = append(lines, "study: memcost/floor", "pkg: memcost/floor", "role: floor", "arm: go1.26.8",
			"toolchain: go1.26.8", "",
			fmt.Sprintf("BenchmarkCopy/size=16384 100 %.6g ns/op 0 round", 16384/m.copies*1e9))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	samples = []byte(strings.Join(lines, "\n") + "\n")
	for name, data := range map[string][]byte{"run.json": text, "samples.txt": samples} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func report(t *testing.T, machines ...madeUp) *Report {
	t.Helper()
	var answers []*result.Answer
	for _, m := range machines {
		a, err := result.Read(m.folder(t), result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	return Of(answers, result.Labels(answers))
}

// planted are boards of kinds whose memory is ever weaker, and whose heap/stack goes with strength to the given
// exponent, but for what is particular to a kind and to a board.
func planted(kinds, boards int, exponent, ofKinds, ofBoards float64) []madeUp {
	rng := rand.New(rand.NewPCG(17, uint64(kinds)))
	var out []madeUp
	for k := range kinds {
		weaker := math.Pow(2, float64(k))
		own := ofKinds * rng.NormFloat64()
		for b := range boards {
			out = append(out, madeUp{fmt.Sprintf("board%d%c", k, 'a'+b), fmt.Sprintf("Made-up CPU %d", k), weaker,
				math.Pow(weaker, -exponent) * math.Exp(own+ofBoards*rng.NormFloat64()), 1e11 / weaker})
		}
	}
	return out
}

func claimOf(t *testing.T, r *Report, id string) Claim {
	t.Helper()
	if r == nil || len(r.Studies) != 1 {
		t.Fatalf("%+v", r)
	}
	for _, c := range r.Studies[0].Claims {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no claim %s", id)
	return Claim{}
}

func TestClaimAboutMachines(t *testing.T) {
	for _, tt := range []struct {
		name     string
		machines []madeUp
		says     string
	}{
		{"planted", planted(5, 2, -0.5, 0.02, 0.01), "holds: 5 kinds"},
		{"the other way", planted(5, 2, 0.5, 0.02, 0.01), "fails: 5 kinds"},
		{"three kinds of many boards", planted(3, 4, -0.5, 0.001, 0.001), "undecided: 3 kinds"},
		{"one kind", planted(1, 5, -0.5, 0.001, 0.001), "undecided: 1 kind"},
		{"of no influence", planted(5, 2, 0, 0.1, 0.01), "undecided: 5 kinds"},
	} {
		r := report(t, tt.machines...)
		c := claimOf(t, r, "S5")
		if c.Says != tt.says || c.Line == nil || len(c.Line.Points) != len(tt.machines) {
			t.Errorf("%s: %q, want %q: %+v", tt.name, c.Says, tt.says, c.Line)
			continue
		}
		if decided := len(c.Line.Fitted) > 0; decided != (c.Line.Kinds >= 4) {
			t.Errorf("%s: a line through %d kinds: %t", tt.name, c.Line.Kinds, decided)
		}
		if strings.HasPrefix(tt.says, "holds") && math.Abs(float64(c.Line.Exponent.Value)+0.5) > 0.05 {
			t.Errorf("exponent %v, want -0.5", c.Line.Exponent.Value)
		}
	}
}

func TestMatrix(t *testing.T) {
	machines := planted(3, 2, 0, 0, 0)
	machines[5].loss = 0.01 // here the heap is the faster
	// in another order than their kinds, and with a second answer of one board
	again := machines[0]
	again.name = "board0a"
	r := report(t, machines[4], machines[0], machines[2], machines[1], machines[3], machines[5], again)
	if r.Kinds != 3 || r.Boards != 6 || r.Says != "6 machines of 3 kinds" || len(r.Machines) != 7 {
		t.Fatalf("%+v", r)
	}
	for i := 2; i < len(r.Machines); i++ {
		if r.Machines[i].Kind != r.Machines[i-1].Kind && r.Machines[i].Kind == r.Machines[i-2].Kind {
			t.Errorf("boards of one kind stand apart: %+v", r.Machines)
		}
	}
	some := false
	for _, c := range r.Studies[0].Claims {
		if len(c.Cells) != 7 {
			t.Errorf("%s has %d cells", c.ID, len(c.Cells))
		}
		some = some || c.Says == "holds on 5 of 6 machines, fails on 1"
	}
	if !some {
		t.Errorf("no claim fails on the odd machine alone: %+v", r.Studies[0].Claims)
	}
}

// Differences of kinds, of boards and of samples are told apart, and a cost has its line.
func TestCostAndSpread(t *testing.T) {
	r := report(t, planted(5, 3, 0, 0, 0.2)...)
	s := r.Studies[0]
	if s.Cost == nil || len(s.Cost.Points) != 15 || s.Cost.Kinds != 5 || s.Cost.Boards != 15 {
		t.Fatalf("%+v", s.Cost)
	}
	if v := float64(s.Cost.Exponent.Value); math.Abs(v+1) > 0.3 {
		t.Errorf("the time goes with the speed of copying to the %v, want -1", v)
	}
	seen := false
	for _, x := range s.Spreads {
		if x.Case != s.Cost.Figure {
			continue
		}
		seen = true
		if !(x.Kinds > 3*x.Boards) || !(x.Boards > 2*x.Samples) || !(x.Samples > 0) {
			t.Errorf("%+v: kinds differ by factors of two, boards by 20%%, samples by 2%%", x)
		}
	}
	if !seen || !strings.Contains(s.Cost.Figure, "place=heap") {
		t.Errorf("%s has no spread", s.Cost.Figure)
	}
	single := report(t, planted(2, 1, 0, 0, 0)...).Studies[0]
	if x := single.Spreads[0]; !math.IsNaN(float64(x.Boards)) || math.IsNaN(float64(x.Kinds)) {
		t.Errorf("of one board a kind: %+v", x)
	}
	if text, err := json.Marshal(single); err != nil || !strings.Contains(string(text), `"between_boards":null`) {
		t.Errorf("%s %v", text, err)
	}
}

func TestNoSeveralMachines(t *testing.T) {
	m := planted(1, 1, 0, 0, 0)[0]
	if r := report(t, m, m); r != nil {
		t.Errorf("two runs of one machine: %+v", r)
	}
	other := madeUp{"other", "Made-up CPU 9", 1, 1, 0}
	if r := report(t, m, other); r == nil || r.Studies[0].Cost != nil {
		t.Errorf("a cost by the strength of one machine: %+v", r)
	}
}
