package stacklog

import (
	"cmp"
	"fmt"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/document"
)

// A lifeStep is a change of size as the so-manieth of a goroutine's life.
type lifeStep struct {
	At   int    `json:"at"`
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

type lifeSteps struct {
	lifeStep
	N    int64  `json:"n"` // goroutines
	Says string `json:"says"`
}

// Picture returns the chains as a picture: the changes of size in a goroutine's life, with the
// number of goroutines that went so, and of those that kept a size. It is nil if no stack changed.
func (l *Log) Picture() *document.Picture {
	steps, ends := map[lifeStep]int64{}, map[lifeStep]int64{}
	for _, c := range l.Chains {
		for i := 1; i < len(c.Sizes); i++ {
			steps[lifeStep{i, c.Sizes[i-1], c.Sizes[i]}] += c.N
		}
		if n := len(c.Sizes); n > 0 && !c.More {
			ends[lifeStep{n - 1, 0, c.Sizes[n-1]}] += c.N
		}
	}
	if len(steps) == 0 {
		return nil
	}
	data := map[string][]lifeSteps{
		"steps": most(steps, func(s lifeStep) string {
			return fmt.Sprintf("%s to %s", units.Bytes(s.From), units.Bytes(s.To))
		}),
		"ends": most(ends, func(s lifeStep) string { return "kept a stack of " + units.Bytes(s.To) }),
	}
	return &document.Picture{Kind: "chains", Data: data, Says: document.Say(
		"Stack size over the life of a goroutine, from left to right. The width of a line is the number of goroutines " +
			"whose stack changed so; a circle counts those that kept their size.")}
}

// most returns steps, those of most goroutines first.
func most(m map[lifeStep]int64, says func(lifeStep) string) []lifeSteps {
	out := []lifeSteps{}
	for s, n := range m {
		out = append(out, lifeSteps{s, n, units.Plural(n, "goroutine") + ": " + says(s)})
	}
	slices.SortFunc(out, func(a, b lifeSteps) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.At, b.At), cmp.Compare(a.From, b.From),
			cmp.Compare(a.To, b.To))
	})
	return out
}
