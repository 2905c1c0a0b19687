package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"reflect"
	"slices"
	"strings"

	"memcost/internal/compare"
	"memcost/internal/result"
)

// Write writes the page of some answers. Their evidence is drawn where they have
// it.
func Write(w io.Writer, answers []*result.Answer) error {
	v, err := newView(answers)
	if err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"lines": func(ss []string) string { return strings.Join(ss, "\n") },
	}).ParseFS(assets, "assets/page.html")
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("rendering the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

func newView(answers []*result.Answer) (*view, error) {
	parts, err := readParts()
	if err != nil {
		return nil, err
	}
	v := &view{embedded: parts, index: map[setKey]int{}, comparisons: compare.Answers(answers),
		same: map[compare.Part]string{}}
	for _, x := range v.comparisons {
		for _, p := range x.Parts {
			v.same[p] = x.Suite
		}
	}
	v.addSets(answers)
	data := pageData{Sets: []set{}, Studies: []string{}, Pictures: []pictureData{}}
	names := v.studyNames(answers)
	if sides, pictures := v.sidesOf(answers, 0, 0); sides != nil {
		v.Sides = sides
		data.Studies, data.Pictures = append(data.Studies, "comparison"), append(data.Pictures, pictures...)
	}
	for _, name := range names {
		s, pictures, err := v.study(name, len(data.Studies), len(data.Pictures), answers)
		if err != nil {
			return nil, err
		}
		v.Studies = append(v.Studies, s)
		v.Judged = v.Judged || len(s.Claims) > 0
		v.Marked = v.Marked || slices.ContainsFunc(s.Claims, claimView.marked)
		data.Studies = append(data.Studies, name)
		data.Pictures = append(data.Pictures, pictures...)
	}
	for i, a := range answers {
		if a.Busy != "" {
			say := a.Busy
			if v.Sides != nil {
				say = compare.BusySays
			}
			if len(answers) > 1 {
				say = v.machineName(answers, i) + ": " + say
			}
			v.Busy = append(v.Busy, say)
		}
		v.Runs = append(v.Runs, newRun(a, v.machineName(answers, i)))
	}
	v.Title = "memcost: " + strings.Join(names, ", ")
	if len(names) > 3 || len(names) == 0 {
		v.Title = fmt.Sprintf("memcost: %d studies", len(names))
	}
	v.Heading = "What does memory cost here?"
	if v.Sides != nil {
		v.Title, v.Heading = "memcost compare: "+v.Sides.Versus, "Did this change matter?"
	}
	v.compareRuns(answers)
	data.Sets = append(data.Sets, v.sets...)
	clean(reflect.ValueOf(v))
	clean(reflect.ValueOf(&data))
	text, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("writing the page's data: %w", err)
	}
	v.Data = template.JS(text)
	return v, nil
}

func (v *view) studyNames(answers []*result.Answer) []string {
	var names []string
	for i, a := range answers {
		for _, s := range a.Suites {
			if name := v.suiteName(i, s.Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// compareRuns says what several runs have in common.
func (v *view) compareRuns(answers []*result.Answer) {
	if len(answers) < 2 {
		return
	}
	if len(v.comparisons) > 0 {
		v.Warnings = append(v.Warnings, "The runs were not measured side by side, so a difference between them may "+
			"come from the machine. To compare reliably, measure both in one run (--go, --vary).")
		return
	}
	v.Warnings = append(v.Warnings, "These runs have no case in common: they stand on one page, but nothing in them "+
		"can be compared.")
}

// pageData is what the scripts read.
type pageData struct {
	Sets     []set         `json:"sets"`
	Studies  []string      `json:"studies"`
	Pictures []pictureData `json:"pictures"`
}
