package profile

import (
	"cmp"
	"slices"
)

// MaxDepth is the number of frames of a stack that are drawn. The Go runtime records up
// to 128; deeper frames count for the last one drawn.
const MaxDepth = 256

// A Node is a function as called by its parent, with its values in the profile's Unit.
type Node struct {
	Name, File string
	Category   Category // of its own time; it depends on those that called it
	Cum        int64    // in it and all that it called
	Flat       int64    // in the function itself
	Children   []*Node

	byFrame map[frame]*Node
}

// Tree merges the stacks from their roots. Children stand in the order of their
// names, so that two profiles of one program look alike.
func (p *Profile) Tree() *Node {
	root := &Node{Name: "all", Category: Other}
	for _, s := range p.stacks {
		n := root
		n.Cum += s.value
		for i := len(s.frames) - 1; i >= 0 && len(s.frames)-i <= MaxDepth; i-- {
			n = n.child(s.frames[i:])
			n.Cum += s.value
		}
		n.Flat += s.value
	}
	root.sort()
	return root
}

// child returns the node for the first of the frames; the others are below it.
func (n *Node) child(frames []frame) *Node {
	c := n.byFrame[frames[0]]
	if c == nil {
		c = &Node{Name: frames[0].name, File: frames[0].file, Category: category(frames)}
		if n.byFrame == nil {
			n.byFrame = map[frame]*Node{}
		}
		n.byFrame[frames[0]] = c
		n.Children = append(n.Children, c)
	}
	return c
}

func (n *Node) sort() {
	slices.SortFunc(n.Children, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
	})
	for _, c := range n.Children {
		c.sort()
	}
}

// Depth returns how many rows the nodes with at least that much take.
func (n *Node) Depth(least int64) int {
	deepest := 0
	for _, c := range n.Children {
		if c.Cum >= least {
			deepest = max(deepest, c.Depth(least))
		}
	}
	return deepest + 1
}
