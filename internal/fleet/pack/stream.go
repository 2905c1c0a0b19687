package pack

import (
	"errors"
	"io"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// A stream is the samples of a study in a run, one at a time.
type stream struct {
	pack  *Pack
	study string
	spans []located // that are left
	rows  *Rows
	part  int // of rows

	number int64            // of the sample in its run
	sample *benchfmt.Result // nil behind the last one
}

// next goes on to the next sample.
func (x *stream) next() (err error) {
	for {
		if x.rows != nil {
			x.number, x.sample, err = x.rows.Next()
			if !errors.Is(err, io.EOF) {
				if err != nil {
					err = damaged(x.pack.Dir, x.pack.Index.Parts[x.part].File, err)
				}
				return err
			}
		}
		if x.rows, x.sample = nil, nil; len(x.spans) == 0 {
			return nil
		}
		s := x.spans[0]
		x.spans, x.part = x.spans[1:], s.part
		r, err := x.pack.file(s.part)
		if err != nil {
			return err
		}
		x.rows = r.Rows(s.First, s.Rows)
	}
}

// samples passes the samples of studies of a run to fn in the order in which they were taken.
func (p *Pack) samples(run int, studies []string, fn func(*benchfmt.Result) error) error {
	var streams []*stream
	for _, s := range p.spans[run] {
		study := p.Index.Parts[s.part].Study
		if !slices.Contains(studies, study) {
			continue
		}
		at := slices.IndexFunc(streams, func(x *stream) bool { return x.study == study })
		if at < 0 {
			at = len(streams)
			streams = append(streams, &stream{pack: p, study: study})
		}
		streams[at].spans = append(streams[at].spans, s)
	}
	for _, x := range streams {
		if err := x.next(); err != nil {
			return err
		}
	}
	for {
		var first *stream
		for _, x := range streams {
			if x.sample != nil && (first == nil || x.number < first.number) {
				first = x
			}
		}
		if first == nil {
			return nil
		}
		if err := fn(first.sample); err != nil {
			return err
		}
		if err := first.next(); err != nil {
			return err
		}
	}
}
