// Package stackheap asks what a value costs on the stack. It compares two places.
//
//memcost:go 1.18
package stackheap

import "testing"

// BenchmarkEmpty is the loop alone.
//
//memcost:floor
func BenchmarkEmpty(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}

// BenchmarkBilbo makes a small value.  It travels in registers.
//
//	//memcost:claim not-one this is an example in a comment
//
// memcost:expect place:heap allocs/op == 1
//
//memcost:expect place:stack allocs/op == 0
//memcost:claim C1 [published: 12 times] place:heap / place:stack > 1
//memcost:more # The stack wins
func BenchmarkBilbo(b *testing.B) {
	//memcost:claim inside .name:Bilbo place:heap B/op >= 16
	for i := 0; i < b.N; i++ { //memcost:claim behind .name:Bilbo ns/op > 0
	}
	/*memcost:claim no place:heap ns/op > 1 */
	s := "//memcost:claim no place:heap ns/op > 1"
	_ = s
}

//memcost:expect place:heap allocs/op <= 2

func BenchmarkFree(b *testing.B) {}

//memcost:expect place:heap allocs/op <= 3
func Benchmarklower(b *testing.B) {}

func (t T) BenchmarkMethod(b *testing.B) {}

// T is a type.
type T struct{}
