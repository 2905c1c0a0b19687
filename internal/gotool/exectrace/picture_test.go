package exectrace

import (
	"math"
	"memcost/internal/base/units"
	"strings"
	"testing"
	"time"
)

// The bars of a picture leave nothing out.
func TestBarsAreWhole(t *testing.T) {
	trace := &Trace{Span: time.Second, ProcTime: ProcTime{Total: 10, User: 4, Syscall: 1, Assist: 1, Idle: 4},
		User: Group{Exec: 3, SchedWait: 1}}
	for _, b := range trace.Picture().Data.(*picture).Bars {
		sum := 0.0
		for _, p := range b.Parts {
			sum += p.Share
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("the parts of %q are %v of it", b.Title, sum)
		}
	}
}

// The picture says of each part what its table and the text say, and names them alike.
func TestPictureHasTheWordsOfTheText(t *testing.T) {
	for name, text := range captured(t) {
		trace := readAll(t, text, Options{})
		drawn := trace.Picture().Data.(*picture)
		rows := map[string]string{}
		tables := trace.PictureTables()
		for _, r := range tables[len(tables)-1].Rows {
			if len(r.Cells) > 2 { // the sum has no share
				rows[strings.TrimSpace(r.Cells[0].String())] = r.Cells[1].String() + ", " + r.Cells[2].String()
			}
		}
		compared := 0
		for _, part := range drawn.Bars[0].Parts {
			what, figures, _ := strings.Cut(part.Says, ": ")
			if what == "sweep" || what == "dedicated and fractional mark workers" {
				continue // sums of two rows
			}
			if rows[what] != figures {
				t.Errorf("%s: the picture says %q, the table %q", name, part.Says, rows[what])
			}
			compared++
		}
		if compared < 3 {
			t.Errorf("%s: %d parts are drawn: %+v", name, compared, drawn.Bars[0])
		}
		span := units.Duration(trace.Span)
		if !strings.HasSuffix(drawn.Over, " over "+span) || !strings.Contains(trace.Sentence(), span) {
			t.Errorf("%s: %q and %q do not say that the trace is %s long", name, drawn.Over, trace.Sentence(), span)
		}
		for _, l := range drawn.Lanes {
			for _, b := range l.Bars {
				length := units.Duration(time.Duration(math.Round((b.End - b.Start) * 1e9)))
				if !strings.Contains(b.Says, ", "+length+" at ") {
					t.Errorf("%s: %s of %s says %q", name, l.Name, length, b.Says)
				}
			}
		}
	}
}
