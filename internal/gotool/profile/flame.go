package profile

import (
	"fmt"
	"math"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// flame is what a flame graph is drawn from.
type flame struct {
	Root  *flameNode `json:"root"`
	Depth int        `json:"depth"`
	Left  string     `json:"left,omitempty"` // what is not drawn
}

type flameNode struct {
	Name     string       `json:"name"`
	Says     string       `json:"says"`
	File     string       `json:"file,omitempty"`
	Category Category     `json:"category"`
	Before   int64        `json:"before"` // what its caller's others before it have
	Cum      int64        `json:"cum"`
	Of       []*flameNode `json:"of,omitempty"`
}

// leastShare is what half a pixel of a flame graph of 1000 stands for: functions with less are not
// drawn.
const leastShare = 0.5 / 1000

// Flame returns the profile as a flame graph: the width of a function is what it and those that it
// called have of the total.
func (p *Profile) Flame() *document.Picture {
	least := max(1, int64(math.Ceil(leastShare*float64(p.Total))))
	root, hidden := p.Tree(), 0
	data := &flame{Root: p.flameNode(root, 0, least, &hidden), Depth: root.Depth(least)}
	if hidden > 0 {
		data.Left = fmt.Sprintf("%d functions with less than %s of the total each are not drawn", hidden,
			units.Percent(leastShare))
	}
	return &document.Picture{Kind: "flame", Data: data}
}

func (p *Profile) flameNode(n *Node, before, least int64, hidden *int) *flameNode {
	cum, ofCum := p.Amount(n.Cum)
	flat, ofFlat := p.Amount(n.Flat)
	out := &flameNode{Name: n.Name, File: n.File, Category: n.Category, Before: before, Cum: n.Cum,
		Says: fmt.Sprintf("cumulative %s, %s of the total; self %s, %s", cum, ofCum, flat, ofFlat)}
	at := int64(0)
	for _, c := range n.Children {
		if c.Cum < least {
			*hidden++
		} else {
			out.Of = append(out.Of, p.flameNode(c, at, least, hidden))
		}
		at += c.Cum
	}
	return out
}
