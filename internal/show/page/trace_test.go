package page

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/gotool/exectrace"
	"memcost/internal/show/terminal"
)

var (
	barY = regexp.MustCompile(
		`<rect class="gc-(mark|stw-gc|stw-tool)" x="[^"]*" y="(\d+)" width="[^"]*" height="(\d+)"`)
	labelY = regexp.MustCompile(
		`<text x="66" y="(\d+)">(mark phase|stop-the-world for GC|stop-the-world for other reasons)</text>`)
)

// traces returns those of package exectrace's testdata, by name.
func traces(t *testing.T) map[string]*exectrace.Trace {
	t.Helper()
	paths, err := filepath.Glob("../../gotool/exectrace/testdata/*.trace.gz")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d traces: %v", len(paths), err)
	}
	all := map[string]*exectrace.Trace{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := exectrace.Read(z, exectrace.Options{})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".trace.gz")] = tr
	}
	return all
}

// The names of the lanes stand above their bars: a capital is at most as high as its
// size of 11, letters go 3 below the line, and the paper around them is 2 wide.
func TestLaneNamesCoverNoBar(t *testing.T) {
	for name, trace := range traces(t) {
		var b strings.Builder
		if err := drawTrace(&b, trace); err != nil {
			t.Fatal(err)
		}
		bars, labels := barY.FindAllStringSubmatch(b.String(), -1), labelY.FindAllStringSubmatch(b.String(), -1)
		if len(bars) == 0 || len(labels) != 3 {
			t.Fatalf("%s: %d bars, %d names of lanes", name, len(bars), len(labels))
		}
		for _, l := range labels {
			base, _ := strconv.Atoi(l[1])
			for _, r := range bars {
				top, _ := strconv.Atoi(r[2])
				height, _ := strconv.Atoi(r[3])
				if top < base+3+2 && top+height > base-11-2 {
					t.Fatalf("%s: %q at %d is over a bar of %s from %d to %d", name, l[2], base, r[1], top, top+height)
				}
			}
		}
	}
}

// The bars leave nothing out.
func TestBarsAreWhole(t *testing.T) {
	for name, trace := range traces(t) {
		for _, b := range traceBars(trace) {
			if last := b.Parts[len(b.Parts)-1]; last.X+last.W < 99.999 || last.X+last.W > 100.001 {
				t.Errorf("%s: the parts of %q are %.3f%%", name, b.Title, last.X+last.W)
			}
		}
	}
}

// The picture's names of times are those of the text.
func TestPictureHasTheWordsOfTheText(t *testing.T) {
	for name, trace := range traces(t) {
		var written, picture strings.Builder
		if err := errors.Join(terminal.Write(&written, &document.Document{Blocks: trace.Blocks()}, terminal.Style{}), drawTrace(&picture, trace)); err != nil {
			t.Fatal(err)
		}
		for _, part := range traceBars(trace)[0].Parts {
			switch part.Name {
			// sums, and what the text indents
			case "sweep", "dedicated and fractional mark workers", "idle mark workers":
				continue
			}
			row := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(part.Name) +
				` +(\d.*?s) +(\d.*%)$`).FindStringSubmatch(written.String())
			if row == nil || part.Text != part.Name+": "+row[1]+", "+row[2] {
				t.Errorf("%s: the picture says %q, the text %v", name, part.Text, row)
			}
		}
		if span := units.Duration(trace.Span); !strings.Contains(picture.String(), "over "+span) ||
			!strings.Contains(trace.Sentence(), span) {
			t.Errorf("%s: the picture or its sentence does not say that the trace is %s long", name, span)
		}
	}
}

func TestTicks(t *testing.T) {
	for span, want := range map[time.Duration]string{
		41837 * time.Microsecond: "0 5 ms 10 ms 15 ms 20 ms 25 ms 30 ms 35 ms 40 ms",
		7892 * time.Microsecond:  "0 1 ms 2 ms 3 ms 4 ms 5 ms 6 ms 7 ms",
		1500 * time.Millisecond:  "0 0.2 s 0.4 s 0.6 s 0.8 s 1 s 1.2 s 1.4 s", 3 * time.Nanosecond: "0 1 ns 2 ns 3 ns",
		100 * time.Second: "0 20 s 40 s 60 s 80 s 100 s",
	} {
		var got []string
		ticks := timeTicks(span)
		for _, at := range ticks {
			got = append(got, tickText(at, ticks[len(ticks)-1]))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("over %v: %v, want %s", span, got, want)
		}
	}
	for most, want := range map[uint64]string{4 << 20: "0 2 MiB 4 MiB", 5 << 20: "0 2 MiB 4 MiB",
		7 << 19: "0 1 MiB 2 MiB 3 MiB", 1: "0 1 B", 3 << 50: "0 1024 TiB 2048 TiB 3072 TiB"} {
		var got []string
		for _, size := range sizeTicks(most) {
			got = append(got, sizeTick(size))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("up to %d: %v, want %s", most, got, want)
		}
	}
}
