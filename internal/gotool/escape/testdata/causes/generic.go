//go:build go1.18
// +build go1.18

package causes

var boxes []interface{}

type stack[T any] struct{ items []*T }

// cause: store
// since: go1.18
func (s *stack[T]) push(v T) { s.items = append(s.items, &v) }

// cause: boxing
// since: go1.18
func boxesParameter[T any](v T) { box = v }

// Two shapes of each.
func instantiate(i int) {
	var a stack[int]
	var b stack[string]
	a.push(i)
	b.push("b")
	boxesParameter(i)
	boxesParameter(vec{i, 1, 2})
}
