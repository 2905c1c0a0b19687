//go:build go1.18
// +build go1.18

package escape

// The pair that needs type parameters: a container of anything, with interfaces and
// with a type parameter.

type anyStack struct{ items []interface{} }

func (s *anyStack) push(v interface{}) { s.items = append(s.items, v) }

func (s *anyStack) pop() interface{} {
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v
}

type stack[T any] struct{ items []T }

func (s *stack[T]) push(v T) { s.items = append(s.items, v) }

func (s *stack[T]) pop() T {
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v
}

var (
	anyVecs anyStack
	vecs    stack[vec]
)

func genericsEscapes(i int) int {
	anyVecs.push(vec{i, 1, 2})
	return anyVecs.pop().(vec).X
}

func genericsFixed(i int) int {
	vecs.push(vec{i, 1, 2})
	return vecs.pop().X
}

func genericPairs() []pair {
	return []pair{
		{cause: "generics", escapes: genericsEscapes, fixed: genericsFixed, allocs: always(1), saved: always(0)},
	}
}
