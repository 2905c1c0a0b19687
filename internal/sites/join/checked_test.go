package join

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// A checked site is one of testdata/checked.txt.
type checked struct {
	pkg, cause, call string
	stack            stack
	says             []string // lines of the compiler
}

func readChecked(t *testing.T) []checked {
	text, err := os.ReadFile("testdata/checked.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []checked
	for _, row := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		key, rest, _ := strings.Cut(row, " ")
		if key == "==" {
			out = append(out, checked{pkg: rest})
			continue
		}
		if len(out) == 0 {
			continue // the head
		}
		c := &out[len(out)-1]
		switch key {
		case "cause":
			c.cause = rest
		case "call":
			c.call = rest
		case "in":
			c.stack.inLeaf, _ = strconv.Atoi(strings.TrimPrefix(rest, "leaf "))
		case "frame":
			c.stack.lines = append(c.stack.lines, readFrame(t, rest))
		default:
			c.says = append(c.says, row)
		}
	}
	return out
}

func readFrame(t *testing.T, row string) line {
	space, colon := strings.LastIndexByte(row, ' '), strings.LastIndexByte(row, ':')
	n, err := strconv.Atoi(row[colon+1:])
	if err != nil || space < 0 {
		t.Fatalf("frame %q: %v", row, err)
	}
	return line{fn: row[:space], file: row[space+1 : colon], line: n, pkg: packageOf(row[:space], "", "")}
}

// charged runs the join on one site, without the source.
func (c checked) charged(t *testing.T) sites.Site {
	p := &Asked{Path: c.pkg}
	a := &analysis{in: Input{Mode: "benchmarks"}, resolver: newResolver(), asked: map[string]*Asked{c.pkg: p},
		sites: map[place]*gathered{}, executed: map[string]bool{}, report: &sites.Report{Benchmarks: []sites.Benchmark{{}}}}
	a.packages[c.pkg] = read(Described{}, c.pkg)
	if len(c.says) > 0 {
		of := c.stack.lines[c.stack.inLeaf-1].pkg
		log, err := escape.ReadLog(strings.NewReader("# " + of + "\n" + strings.Join(c.says, "\n") + "\n"))
		if err != nil {
			t.Fatalf("%v: %v", c.stack.lines[0], err)
		}
		a.packages[of] = read(Described{Log: log}, of)
	}
	count := &counting{analysis: a, p: p, n: 1}
	g := count.record(c.stack, a.find(nil, c.call, c.stack.lines[:c.stack.inLeaf]), 1, 16)
	if g == nil {
		t.Fatalf("%v is charged to nothing", c.stack.lines)
	}
	a.describe(g)
	return g.site
}

// At least 95% of the causes of a sample that was checked by hand are right, although the source
// is not at hand here, which tells method values from boxing.
func TestCausesOfCheckedSites(t *testing.T) {
	all := readChecked(t)
	if len(all) < 60 {
		t.Fatalf("%d sites", len(all))
	}
	wrong := 0
	for _, c := range all {
		own := c.stack.lines[len(c.stack.lines)-1]
		if s := c.charged(t); s.Cause.Key != c.cause {
			wrong++
			t.Logf("%s:%d: %q, by hand %q", own.file, own.line, s.Cause.Key, c.cause)
		}
	}
	if wrong*20 > len(all) {
		t.Errorf("%d of %d causes are not those found by hand", wrong, len(all))
	}
}
