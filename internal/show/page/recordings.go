package page

import (
	"html/template"
	"strings"

	"memcost/internal/document"
	"memcost/internal/report/result"
)

// A recordingView is a recording of a run, drawn: a flame graph or a timeline.
type recordingView struct {
	Case, File, Tool, What string
	Label                  string
	Set                    int // of the page's data sets
	Sentence               string
	Drawing                template.HTML
	Tables                 []*document.Table
}

// newRecording draws a recording. What is drawn is safe: names are escaped.
func newRecording(r result.Recording, label string, set int) (recordingView, error) {
	v := recordingView{Case: r.Case, File: r.File, Tool: r.Tool, What: r.What, Label: label, Set: set}
	var b strings.Builder
	if r.Trace != nil {
		v.Sentence, v.Tables = r.Trace.Sentence(), r.Trace.PictureTables()
		err := drawTrace(&b, r.Trace)
		v.Drawing = template.HTML(b.String())
		return v, err
	}
	v.Sentence, v.Tables = r.Profile.Sentence(), []*document.Table{r.Profile.Table()}
	b.WriteString(`<div class="scroll" role="region" tabindex="0" aria-label="Flame graph">`)
	err := drawFlame(&b, r.Profile, flameOptions{Label: "CPU time by function"})
	b.WriteString(`</div>`)
	v.Drawing = template.HTML(b.String())
	return v, err
}
