package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/machinespage"
)

// Write writes the page of some answers, with their front before it; without one, which is
// so of a comparison, what it has of each study stands open. Evidence is drawn where the answers
// have it.
func Write(w io.Writer, answers []*result.Answer, front *answer.Front) error {
	v, err := newView(answers, front)
	if err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"thousands": units.Thousands[int], "mark": mark,
	}).ParseFS(assets, "assets/*.html")
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

func newView(answers []*result.Answer, front *answer.Front) (*view, error) {
	parts, err := readParts()
	if err != nil {
		return nil, err
	}
	if front, err = copyOf(front); err != nil {
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
	if sides, pictures := comparisonOf(v, answers); sides != nil {
		v.Sides, front = sides, nil
		data.Studies, data.Pictures = append(data.Studies, "comparison"), append(data.Pictures, pictures...)
	}
	drawn := len(data.Pictures)
	for _, name := range names {
		s, pictures, err := v.study(name, len(data.Studies), drawn, answers, cardOf(v, name, answers, front))
		if err != nil {
			return nil, err
		}
		s.Open = front == nil
		drawn += len(pictures)
		data.Studies = append(data.Studies, name)
		if s.Key != nil {
			data.Pictures = append(data.Pictures, pictures[0])
			pictures = pictures[1:]
		}
		if s.Data, err = script(pictures); err != nil {
			return nil, err
		}
		v.Studies = append(v.Studies, s)
		v.Judged = v.Judged || len(s.Claims) > 0
		v.Marked = v.Marked || slices.ContainsFunc(s.Claims, claimView.marked)
	}
	if front != nil {
		data.Axis = v.newFront(front, answers)
		Clean(front.Machines)
		if v.Machines, err = machinespage.HTML(front.Machines); err != nil {
			return nil, err
		}
	}
	v.runs(answers)
	v.Title, v.Heading = title(v, names)
	v.compareRuns(answers)
	data.Sets = append(data.Sets, v.sets...)
	Clean(v)
	if v.Data, err = script(&data); err != nil {
		return nil, err
	}
	return v, nil
}

// script returns what a script of the page reads, fit to be shown.
func script(data any) (template.JS, error) {
	Clean(data)
	text, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("writing the page's data: %w", err)
	}
	return template.JS(text), nil
}

// runs fills in the machines, and which of them were busy. Where the front says first that the
// machine was disturbed, nothing else needs to.
func (v *view) runs(answers []*result.Answer) {
	for i, a := range answers {
		v.Runs = append(v.Runs, newRun(a, v.machineName(answers, i)))
		v.Warned += len(a.Warnings)
		if a.Busy == "" || v.Front != nil && v.Front.Trust.Amber != "" && i == 0 {
			continue
		}
		say := a.Busy
		if v.Sides != nil {
			say = compare.BusySays
		}
		if len(answers) > 1 {
			say = v.machineName(answers, i) + ": " + say
		}
		v.Busy = append(v.Busy, say)
	}
}

// title returns what the page is called, and what it asks.
func title(v *view, names []string) (name, heading string) {
	name = "memcost: " + strings.Join(names, ", ")
	if len(names) > 3 || len(names) == 0 {
		name = fmt.Sprintf("memcost: %d studies", len(names))
	}
	switch {
	case v.Sides != nil && v.Sides.Heading != "":
		return "memcost alloc: " + v.Sides.Versus, v.Sides.Heading
	case v.Sides != nil:
		return "memcost compare: " + v.Sides.Versus, "Did this change matter?"
	case v.Front != nil && v.Front.Question != "":
		return name, v.Front.Question
	}
	return name, "What does memory cost here?"
}

// studyNames returns the studies of all runs, in the order of the runs.
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

// cardOf returns what the front says of a study, if it says anything.
func cardOf(v *view, name string, answers []*result.Answer, front *answer.Front) *answer.Study {
	if front == nil {
		return nil
	}
	for i, s := range front.Studies {
		if s.Run < 0 || s.Run >= len(answers) || s.Suite < 0 || s.Suite >= len(answers[s.Run].Suites) {
			continue
		}
		if v.suiteName(s.Run, answers[s.Run].Suites[s.Suite].Name) == name {
			return &front.Studies[i]
		}
	}
	return nil
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

// pageData is what the scripts read at once; the pictures of a study's evidence are read when
// that is opened.
type pageData struct {
	Sets     []set         `json:"sets"`
	Studies  []string      `json:"studies"`
	Pictures []pictureData `json:"pictures"`
	Axis     *axisData     `json:"axis,omitempty"`
}
