package profile

import (
	"cmp"
	"slices"
)

// maxDepth is how many frames of a stack are drawn. The Go runtime records up to
// 128; what is deeper counts for the last one drawn.
const maxDepth = 256

// A node is a function as called by its parent.
type node struct {
	frame    frame
	category Category // of its own time; it depends on those that called it
	cum      int64
	flat     int64
	children []*node
	byFrame  map[frame]*node
}

// tree merges the stacks from their roots. Children stand in the order of their
// names, so that two profiles of one program look alike.
func (p *Profile) tree() *node {
	root := &node{frame: frame{name: "all"}, category: Other}
	for _, s := range p.stacks {
		n := root
		n.cum += s.value
		for i := len(s.frames) - 1; i >= 0 && len(s.frames)-i <= maxDepth; i-- {
			n = n.child(s.frames[i:])
			n.cum += s.value
		}
		n.flat += s.value
	}
	root.sort()
	return root
}

// child is the node for the first of the frames, below which the others are.
func (n *node) child(frames []frame) *node {
	c := n.byFrame[frames[0]]
	if c == nil {
		c = &node{frame: frames[0], category: category(frames)}
		if n.byFrame == nil {
			n.byFrame = map[frame]*node{}
		}
		n.byFrame[frames[0]] = c
		n.children = append(n.children, c)
	}
	return c
}

func (n *node) sort() {
	slices.SortFunc(n.children, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.frame.name, b.frame.name), cmp.Compare(a.frame.file, b.frame.file))
	})
	for _, c := range n.children {
		c.sort()
	}
}

// depth is how many rows the nodes with at least that much take.
func (n *node) depth(least int64) int {
	deepest := 0
	for _, c := range n.children {
		if c.cum >= least {
			deepest = max(deepest, c.depth(least))
		}
	}
	return deepest + 1
}
