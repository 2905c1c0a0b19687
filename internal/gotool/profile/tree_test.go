package profile

import (
	"bytes"
	"strings"
	"testing"
)

// The categories of the tree are those of Shares: what the functions of a category have in
// themselves is the category's share.
func TestTreeHasTheShares(t *testing.T) {
	for _, path := range captured(t) {
		p, sums := read(t, path), map[Category]int64{}
		var walk func(*node)
		walk = func(n *node) {
			sums[n.Category] += n.flat
			for _, c := range n.Of {
				walk(c)
			}
		}
		walk(p.tree())
		for _, s := range p.Shares() {
			if sums[s.Category] != s.Value {
				t.Errorf("%s: %d in the colour of %s, its share is %d", path, sums[s.Category], s.Category, s.Value)
			}
		}
	}
}

// A stack may be deeper than anyone draws.
func TestDeep(t *testing.T) {
	p, err := Read(bytes.NewReader(written(t,
		planted(map[string]int64{strings.Repeat("deep;", 5000) + "main.main": 10}))))
	if err != nil {
		t.Fatal(err)
	}
	if top := p.Top(1)[0]; top.Cum != 10 || top.Flat != 10 {
		t.Errorf("a function that calls itself 5000 times has %+v", top)
	}
	if n := p.tree().depth(); n != MaxDepth+1 {
		t.Errorf("the tree is %d deep", n)
	}
}
