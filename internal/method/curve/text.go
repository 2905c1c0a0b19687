package curve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A curve is text, so that anything reads it: lines of three numbers are points, each as the difference to the
// point before; all others begin with a letter. Points between which nothing but time passes are left out, so
// that an hour of a program that always changes takes some 8 MB.
//
//	curve 1 100000 4096       format, nanoseconds of a tick, bytes of a page
//	50 512 49                 5 ms later 512 pages more were resident, and 4.9 ms of CPU time used
//	x 1000 4096000 4000000 0 4096000   exact: ticks since the start, then resident, PSS, swap and the cheap counter, in bytes
//	m 2000 idle               a mark
//	e 2000 load …             the end: see End
const format = 1

// tick is the resolution of times in a curve.
const tick = 100 * time.Microsecond

// mostStill is how long nothing need be written while nothing changes.
const mostStill = time.Second

// A Writer writes a curve while it comes, so that a crash costs the last part alone.
type Writer struct {
	w       *bufio.Writer
	page    int64
	written Point
	held    *Point // was left out, for nothing had changed
	some    bool
	buf     []byte
	err     error
}

// NewWriter begins a curve with pages of so many bytes.
func NewWriter(w io.Writer, page int64) *Writer {
	x := &Writer{w: bufio.NewWriter(w), page: page}
	fmt.Fprintf(x.w, "curve %d %d %d\n", format, tick.Nanoseconds(), page)
	return x
}

// Point writes a point, or keeps it until something changes.
func (x *Writer) Point(p Point) {
	if x.some && p.Resident == x.written.Resident && p.At-x.written.At < mostStill {
		x.held = &Point{p.At, p.Resident, p.CPU}
		return
	}
	x.let()
	x.put(p)
}

// let writes the point that was kept.
func (x *Writer) let() {
	if x.held != nil {
		p := *x.held
		x.held = nil
		x.put(p)
	}
}

// put writes a point. Of what it rounds off nothing is lost: the next is the difference to what was written.
func (x *Writer) put(p Point) {
	at, pages, cpu := int64((p.At-x.written.At)/tick), (p.Resident-x.written.Resident)/x.page, int64((p.CPU-x.written.CPU)/tick)
	x.written = Point{x.written.At + time.Duration(at)*tick, x.written.Resident + pages*x.page,
		x.written.CPU + time.Duration(cpu)*tick}
	x.buf = strconv.AppendInt(x.buf[:0], at, 10)
	x.buf = strconv.AppendInt(append(x.buf, ' '), pages, 10)
	x.buf = strconv.AppendInt(append(x.buf, ' '), cpu, 10)
	_, x.err = x.w.Write(append(x.buf, '\n'))
	x.some = true
}

// Exact writes an exact reading.
func (x *Writer) Exact(e Exact) {
	fmt.Fprintf(x.w, "x %d %d %d %d %d\n", e.At/tick, e.Resident, e.Share, e.Swap, e.Cheap)
}

// Mark writes a mark.
func (x *Writer) Mark(m Mark) { fmt.Fprintf(x.w, "m %d %s\n", m.At/tick, oneLine(m.Name)) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Flush hands over what was written so far.
func (x *Writer) Flush() error {
	if err := x.w.Flush(); err != nil {
		return err
	}
	return x.err
}

// End writes the end.
func (x *Writer) End(e End) error {
	x.let()
	work := int64(-1)
	if e.Work >= 0 {
		work = int64(e.Work / tick)
	}
	found := e.Found
	if found == "" {
		found = "-"
	}
	how := e.How
	if how == "" {
		how = Ended
	}
	fmt.Fprintf(x.w, "e %d %s %d %d %d %d %d %d %t %d %s\n", work, found, e.Peak, e.Processes, e.Seen, e.Sampler.Nanoseconds(),
		e.Looks, e.Gap/tick, e.Private, e.Swap, how)
	return x.Flush()
}

var errFormat = errors.New("it is no curve that this memcost reads")

// Read reads a curve. One that was not written to its end is read as far as it goes: its work has not ended then.
func Read(r io.Reader) (*Curve, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var version, ns, page int64
	if !lines.Scan() {
		return nil, errFormat
	}
	if _, err := fmt.Sscanf(lines.Text(), "curve %d %d %d", &version, &ns, &page); err != nil || version != format ||
		ns <= 0 || page <= 0 {
		return nil, errFormat
	}
	c, unit := &Curve{End: End{Work: -1}}, time.Duration(ns)
	var at Point
	for n := 2; lines.Scan(); n++ {
		text := lines.Text()
		if text == "" {
			continue
		}
		var err error
		switch text[0] {
		case 'x':
			var e Exact
			_, err = fmt.Sscanf(text, "x %d %d %d %d %d", &e.At, &e.Resident, &e.Share, &e.Swap, &e.Cheap)
			e.At *= unit
			if err == nil {
				c.Exact = append(c.Exact, e)
			}
		case 'm':
			var m Mark
			ticks, name, _ := strings.Cut(strings.TrimPrefix(text, "m "), " ")
			var v int64
			v, err = strconv.ParseInt(ticks, 10, 64)
			if m = (Mark{time.Duration(v) * unit, name}); err == nil {
				c.Marks = append(c.Marks, m)
			}
		case 'e':
			err = c.readEnd(text, unit)
		default:
			err = at.add(text, unit, page)
			if err == nil {
				c.Points = append(c.Points, at)
			}
		}
		if err != nil { // a killed writer leaves half a line, at the end alone
			if lines.Scan() {
				return c, fmt.Errorf("line %d of a curve, %.40q: %w", n, text, err)
			}
			return c, nil
		}
	}
	return c, lines.Err()
}

func (p *Point) add(text string, unit time.Duration, page int64) error {
	a, rest, _ := strings.Cut(text, " ")
	b, d, ok := strings.Cut(rest, " ")
	at, err1 := strconv.ParseInt(a, 10, 64)
	pages, err2 := strconv.ParseInt(b, 10, 64)
	cpu, err3 := strconv.ParseInt(d, 10, 64)
	if !ok {
		return errFormat
	}
	p.At, p.Resident, p.CPU = p.At+time.Duration(at)*unit, p.Resident+pages*page, p.CPU+time.Duration(cpu)*unit
	return errors.Join(err1, err2, err3)
}

func (c *Curve) readEnd(text string, unit time.Duration) error {
	var work, gap, sampler int64
	e := End{}
	if _, err := fmt.Sscanf(text, "e %d %s %d %d %d %d %d %d %t %d %s", &work, &e.Found, &e.Peak, &e.Processes, &e.Seen, &sampler,
		&e.Looks, &gap, &e.Private, &e.Swap, &e.How); err != nil {
		return err
	}
	e.Work, e.Gap, e.Sampler = -1, time.Duration(gap)*unit, time.Duration(sampler)
	if work >= 0 {
		e.Work = time.Duration(work) * unit
	}
	if e.Found == "-" {
		e.Found = ""
	}
	c.End = e
	return nil
}
