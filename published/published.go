package published

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/store"
	"memcost/internal/method/claim"
)

// A DataSet is a file of published figures.
type DataSet struct {
	Name      string `json:"name"` // of the file, without .txt
	Study     string `json:"study"`
	Machine   string `json:"machine"`
	Toolchain string `json:"toolchain"`
	Source    string `json:"source"`
	Results   int    `json:"results"`

	results []*benchfmt.Result
}

// Read reads every data set of a folder.
func Read(fsys fs.FS) ([]DataSet, error) {
	names, err := fs.Glob(fsys, "*.txt")
	if err != nil {
		return nil, fmt.Errorf("listing published figures: %w", err)
	}
	var out []DataSet
	for _, name := range names {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading published figures: %w", err)
		}
		d := DataSet{Name: strings.TrimSuffix(path.Base(name), ".txt")}
		warnings, err := store.Read(f, name, func(r *benchfmt.Result) error {
			d.results = append(d.results, r.Clone())
			return nil
		})
		f.Close()
		if err != nil {
			return nil, err
		}
		if len(warnings) > 0 {
			return nil, fmt.Errorf("reading published figures: %w", warnings[0])
		}
		if len(d.results) == 0 {
			return nil, fmt.Errorf("reading published figures: %s holds no results", name)
		}
		first := d.results[0]
		d.Study, d.Machine = first.GetConfig("study"), first.GetConfig("machine")
		d.Toolchain, d.Source = first.GetConfig("toolchain"), first.GetConfig("source")
		d.Results = len(d.results)
		out = append(out, d)
	}
	return out, nil
}

// Of selects the data sets of a study for judging.
func Of(sets []DataSet) func(study string) []claim.File {
	return func(study string) []claim.File {
		var files []claim.File
		for _, d := range sets {
			if d.Study == study {
				name := d.Machine
				if name == "" {
					name = d.Name
				}
				files = append(files, claim.File{Name: name, Results: d.results})
			}
		}
		return files
	}
}
