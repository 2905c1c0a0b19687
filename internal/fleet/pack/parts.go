package pack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// A Writer makes a pack: in a folder beside it, which becomes the pack when everything is in it.
type Writer struct {
	Index Index
	// Step is told after each so many samples how many of the run at hand are packed; nil: nobody.
	Step func(samples int64)

	out, tmp string
	runsFile *os.File
	runs     *parquet.GenericWriter[row]
	at       [2]string              // kind and month of the run at hand
	studies  map[string]*FileWriter // of that kind and month
	names    []string               // theirs, in order
}

// study opens the files of a study on machines of the kind and in the month at hand.
func (w *Writer) study(name string) *FileWriter {
	kind, month := w.at[0], w.at[1]
	part := Part{Study: name, Kind: kind, Month: month}
	var file *os.File
	open := func() (io.WriteCloser, error) {
		dir := filepath.FromSlash(folderOf(name, kind, month))
		if err := os.MkdirAll(filepath.Join(w.tmp, dir), 0o777); err != nil {
			return nil, err
		}
		number := 0
		for _, p := range w.Index.Parts {
			if p.Study == name && p.Kind == kind && p.Month == month {
				number++
			}
		}
		part.File = filepath.ToSlash(filepath.Join(dir, partName(number)))
		var err error
		file, err = os.Create(filepath.Join(w.tmp, filepath.FromSlash(part.File)))
		return synced{file}, err
	}
	x := NewWriter(open, func(spans []RowSpan) error {
		p := part
		var err error
		if p.Bytes, p.Footer, err = sizeOf(file.Name()); err == nil {
			w.addPart(p, spans)
		}
		return err
	})
	w.studies[name], w.names = x, append(w.names, name)
	return x
}

// sizeOf returns how long a file is, and the hash of its end.
func sizeOf(name string) (size int64, footer string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		size = info.Size()
		footer, _, err = Footer(f, size)
	}
	return size, footer, err
}

func partName(number int) string {
	if number == 0 {
		return "part.parquet"
	}
	return fmt.Sprintf("part-%d.parquet", number)
}

// addPart adds a file to the index.
func (w *Writer) addPart(p Part, spans []RowSpan) {
	at := map[string]int{}
	for i, r := range w.Index.Runs {
		at[r.ID] = i
	}
	for _, s := range spans {
		run, known := at[s.Run]
		if !known {
			run = len(w.Index.Runs) // the one at hand
		}
		p.Spans = append(p.Spans, Span{run, s.First, s.Rows})
		p.Samples += s.Rows
	}
	w.Index.Parquet += p.Bytes
	w.Index.Parts = append(w.Index.Parts, p)
}

// synced is a file that is on disk when it is closed.
type synced struct{ *os.File }

func (f synced) Close() error { return errors.Join(f.File.Sync(), f.File.Close()) }

func (w *Writer) closeStudies() error {
	for _, name := range w.names {
		if err := w.studies[name].Close(); err != nil {
			return err
		}
	}
	w.names = nil
	clear(w.studies)
	return nil
}
