package mallocprofile

import (
	"bytes"
	"strings"
	"testing"
	"time"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/show/terminal"
)

// full is a use of which there is as much to say as there can be.
func full() *Use {
	e := func(v float64) Estimate {
		return Estimate{Value: v, Lo: v * 0.9, Hi: v * 1.1}
	}
	p := &Profile{Program: "/usr/bin/" + strings.Repeat("program", 20), PID: 1234567,
		Calls: map[string]uint64{}, FreesNull: 99999999, Early: 3, Bytes: 1 << 50, Usable: 1.7, Turns: 12345,
		Turned: 123456789, Foreign: Estimate{Value: 0.381, Lo: 0.35, Hi: 0.41}, Peak: e(1.23e10),
		Blocks: 123456789, Threads: Threads{Started: 1234567, AtOnce: 1024, Uncounted: 17, Busiest: 0.2}}
	for _, name := range Functions {
		p.Calls[name] = 12_345_678_901
	}
	for i := range 38 {
		p.Sizes = append(p.Sizes, Sizes{From: 4 << i, To: 5 << i, Calls: 1e9})
	}
	for range 3 {
		g := Group{Living: e(1e9)}
		for i := range 40 {
			g.Ages = append(g.Ages, Ages{From: 1 << i, To: 2 << i, Blocks: e(1e9)})
		}
		p.Groups = append(p.Groups, g)
	}
	p.Samples = 123456
	u := Analyse(Run{Command: []string{"./" + strings.Repeat("a long name ", 30)},
		Ended: "exit status 123", Wall: time.Hour, CPU: 100 * time.Hour, Faults: 1e9, Cores: 64},
		Processes{Profiles: []*Profile{p, p}, Missing: 12})
	u.Overhead = Overhead{Ratio: 1.0234, Lo: 1.0123, Hi: 1.0345, Runs: 20}
	return u
}

func written(t *testing.T, u *Use, style terminal.Style) []string {
	t.Helper()
	var b bytes.Buffer
	if err := terminal.Write(&b, u.Document(), style.Screen()); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestFitsAScreen(t *testing.T) {
	for _, width := range []int{0, 80, 100, 200} {
		lines := written(t, full(), terminal.Style{Width: width})
		if width != 80 && len(lines) > 45 {
			t.Errorf("width %d: %d lines:\n%s", width, len(lines), strings.Join(lines, "\n"))
		}
		for i, l := range lines {
			if n := pretty.StringWidth(l); n > 100 || width > 0 && n > width {
				t.Errorf("width %d, line %d: %d columns: %s", width, i+1, n, l)
			}
		}
	}
}

func TestColours(t *testing.T) {
	plain, coloured := written(t, full(), terminal.Style{}), written(t, full(), terminal.Style{Color: true})
	if strings.Contains(strings.Join(plain, ""), "\x1b") {
		t.Error("there are colours without a terminal")
	}
	if len(plain) != len(coloured) {
		t.Fatalf("%d lines without colours, %d with", len(plain), len(coloured))
	}
	escaped := false
	for i, l := range coloured {
		escaped = escaped || strings.Contains(l, "\x1b")
		if got := strings.TrimRight(pretty.StripEscape(l), " "); got != plain[i] {
			t.Errorf("line %d with colours: %s\nwithout: %s", i+1, got, plain[i])
		}
	}
	if !escaped {
		t.Error("there are no colours")
	}
}

// Rows that hold little are one, and what they hold is not lost.
func TestRowsAreJoined(t *testing.T) {
	p := &Profile{Sizes: []Sizes{
		{From: 16, To: 20, Calls: 700}, {From: 24, To: 28, Calls: 100}, {From: 64, To: 80, Calls: 1},
		{From: 128, To: 160, Calls: 1}, {From: 4096, To: 5120, Calls: 198},
	}}
	var got []string
	sum := 0.0
	for _, b := range sizeBars(p, 12) {
		got = append(got, b.label)
		sum += b.share
	}
	if strings.Join(got, ", ") != "16 B, 64 B, 4 KiB" || sum < 0.999 || sum > 1.001 {
		t.Errorf("rows %v, sum %v", got, sum)
	}
	if n := len(sizeBars(full().Profile, 7)); n != 7 {
		t.Errorf("%d rows, want 7", n)
	}
	if n := len(ageBars(full().Profile, 7)); n != 7 {
		t.Errorf("%d rows of lifetimes, want 7", n)
	}
}

func TestSmallPeaksAreBounds(t *testing.T) {
	got := peak(Estimate{Value: 700 << 10, Lo: 0, Hi: 1 << 20})
	if !strings.HasPrefix(got, "at most 1 MiB") {
		t.Error(got)
	}
	if got := peak(Estimate{Value: 4096, Lo: 4096, Hi: 4096}); got != "4 KiB (each block was followed)" {
		t.Error(got)
	}
}
