package profile

import (
	"fmt"
	"math"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// flame is what a flame graph is drawn from.
type flame struct {
	Root  *node  `json:"root"`
	Depth int    `json:"depth"`
	Left  string `json:"left,omitempty"` // what is not drawn
}

// leastShare is what half a pixel of a flame graph of 1000 stands for: functions with less are not
// drawn.
const leastShare = 0.5 / 1000

// Flame returns the profile as a flame graph: the width of a function is what it and those that it
// called have of the total.
func (p *Profile) Flame() *document.Picture {
	root := p.tree()
	hidden := p.draw(root, max(1, int64(math.Ceil(leastShare*float64(p.Total)))))
	data := &flame{Root: root, Depth: root.depth()}
	if hidden > 0 {
		data.Left = fmt.Sprintf("%d functions with less than %s of the total each are not drawn", hidden,
			units.Percent(leastShare))
	}
	return &document.Picture{Kind: "flame", Data: data}
}

// draw says what a node and those below it are and where they stand, and leaves out, and counts, those
// that have too little.
func (p *Profile) draw(n *node, least int64) (hidden int) {
	cum, ofCum := p.Amount(n.Cum)
	flat, ofFlat := p.Amount(n.flat)
	n.Says = fmt.Sprintf("cumulative %s, %s of the total; self %s, %s", cum, ofCum, flat, ofFlat)
	at, all := int64(0), n.Of
	n.Of = nil
	for _, c := range all {
		if c.Before = at; c.Cum < least {
			hidden++
		} else {
			hidden += p.draw(c, least)
			n.Of = append(n.Of, c)
		}
		at += c.Cum
	}
	return hidden
}
