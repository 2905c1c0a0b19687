package history

import (
	"memcost/internal/document"
	"memcost/internal/report/figures"
)

// levels is what the cost of a metric through history is drawn from.
type levels struct {
	Points  []string       `json:"points"`
	Levels  []levelDrawn   `json:"levels"`
	Changes []changedDrawn `json:"changes"`
}

type levelDrawn struct {
	At    int               `json:"at"`
	Cost  [3]figures.Number `json:"cost"` // value, lo, hi
	Apart bool              `json:"apart,omitempty"`
	Says  string            `json:"says"`
}

type changedDrawn struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Says string `json:"says"`
}

// Picture draws the cost of a metric through history as steps, with the intervals and the changes;
// nil where it was measured at one point.
func (r *Report) Picture(x *Series) *document.Picture {
	if len(x.Levels) < 2 {
		return nil
	}
	d := levels{Changes: []changedDrawn{}}
	for _, p := range r.Points {
		d.Points = append(d.Points, p.Name)
	}
	for _, l := range x.Levels {
		d.Levels = append(d.Levels, levelDrawn{l.At, [3]figures.Number{l.Cost.Value, l.Cost.Lo, l.Cost.Hi}, l.Apart,
			r.Full(l.At) + ": " + l.Cost.String()})
	}
	for _, c := range x.Changes {
		d.Changes = append(d.Changes, changedDrawn{c.From, c.To, r.Sentence(x, c)})
	}
	return &document.Picture{Kind: "levels", Data: d, Says: document.Say(x.Name, ", ", x.Unit),
		Title: document.Say("cost as a multiple of that at the first point, with its 95% confidence interval")}
}
