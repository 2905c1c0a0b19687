package page

import (
	"memcost/internal/document"
	"memcost/internal/report/result"
)

// recording returns a recording as a picture, a flame graph or a timeline, with its tables.
func recording(r result.Recording) (*document.Picture, []*document.Table) {
	if t := r.Trace; t != nil {
		d := t.Picture()
		d.Says = document.Say(t.Sentence())
		return d, t.PictureTables()
	}
	d := r.Profile.Flame()
	d.Says = document.Say(r.Profile.Sentence())
	return d, []*document.Table{r.Profile.Table()}
}
