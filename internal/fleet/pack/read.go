package pack

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Pack is one that is read. In memory are its index and, of each study that is read, a part of a file.
type Pack struct {
	Dir   string
	Index *Index
	spans [][]located        // of each run
	open  map[string]*opened // by study
}

// A located span is one with its Part, an index into Index.Parts.
type located struct {
	Span
	part int
}

// An opened file is the one of a study that is read.
type opened struct {
	part   int
	file   *os.File
	reader *Reader
}

// Open opens a pack. The caller closes it.
func Open(dir string) (*Pack, error) {
	x, err := ReadIndex(dir)
	if err != nil {
		return nil, err
	}
	p := &Pack{Dir: dir, Index: x, spans: make([][]located, len(x.Runs)), open: map[string]*opened{}}
	for i, part := range x.Parts {
		for _, s := range part.Spans {
			p.spans[s.Run] = append(p.spans[s.Run], located{s, i})
		}
	}
	return p, nil
}

// Close closes the files.
func (p *Pack) Close() {
	for _, o := range p.open {
		o.file.Close()
	}
	clear(p.open)
}

// Machines returns the runs, as indices, that are reported on together: the attempts of one machine at
// a plan, and each run that belongs to none by itself.
func (x *Index) Machines() [][]int {
	var out [][]int
	at := map[[2]string]int{}
	for i, r := range x.Runs {
		key := [2]string{r.Plan, r.Machine}
		if k, known := at[key]; known && r.Plan != "" {
			out[k] = append(out[k], i)
			continue
		}
		at[key] = len(out)
		out = append(out, []int{i})
	}
	return out
}

// file returns the reader of a file with samples of a study; another one of the study is closed.
func (p *Pack) file(part int) (*Reader, error) {
	x := p.Index.Parts[part]
	o := p.open[x.Study]
	if o != nil && o.part == part {
		return o.reader, nil
	}
	if o != nil {
		o.file.Close()
		delete(p.open, x.Study)
	}
	f, err := os.Open(filepath.Join(p.Dir, filepath.FromSlash(x.File)))
	if err != nil {
		return nil, damaged(p.Dir, x.File, err)
	}
	r, err := readerOf(f, x)
	if err != nil {
		f.Close()
		return nil, damaged(p.Dir, x.File, err)
	}
	p.open[x.Study] = &opened{part, f, r}
	return r, nil
}

func readerOf(f *os.File, x Part) (*Reader, error) {
	size, footer, err := sizeOf(f.Name())
	if err != nil {
		return nil, err
	}
	if size != x.Bytes || footer != x.Footer {
		return nil, fmt.Errorf("it is not the file that was written: %d bytes for %d, or another end", size, x.Bytes)
	}
	return NewReader(f, size, x.Study)
}
