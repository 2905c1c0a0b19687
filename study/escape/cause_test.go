package escape

import "testing"

// A pair is one cause of allocation: the form that escapes, and the form that follows
// the usual advice. Both return the same number for the same i, so that neither can
// leave work out.
//
// The two forms are functions named for the cause, "mapValueEscapes" and
// "mapValueFixed"; the functions of this package that they call, beside those that both
// share, begin with their name. By these names figures are joined with the compiler's
// diagnostics.
type pair struct {
	cause          string // "map-value"
	escapes, fixed func(i int) int
	allocs, saved  history // heap objects per operation of the two forms
	orMore         bool    // allocs depends on the map's random seed, too, and is the least
	setup          func() (end func())
}

// A history is the number of heap objects that an operation makes, by Go release: each
// entry holds from its release on, and up to the next one. The first has no release.
type history []since

type since struct {
	release string // "go1.25"
	allocs  uint64
}

func always(allocs uint64) history { return history{{"", allocs}} }

// repeat returns the loop of all pairs. It calls through a variable, so that no part of
// an operation is inlined into it, moved out of it, or seen by its escape analysis: both
// forms pay for the same indirect call. The first operations grow the stack and the
// reused buffers.
func repeat(op func(i int) int) work {
	return func(n int, start func()) {
		sum := 0
		for i := 0; i < 8; i++ {
			sum += op(i)
		}
		start()
		for i := 0; i < n; i++ {
			sum += op(i)
		}
		sink = sum
	}
}

// around does a work inside what a pair needs beside it.
func (p pair) around(w work) work {
	if p.setup == nil {
		return w
	}
	return func(n int, start func()) {
		defer p.setup()()
		w(n, start)
	}
}

func (p pair) cases() []benchCase {
	return []benchCase{
		{"cause=" + p.cause + "/form=escapes", p.around(repeat(p.escapes))},
		{"cause=" + p.cause + "/form=fixed", p.around(repeat(p.fixed))},
	}
}

// pairs lists every cause, in the order of the documentation.
func pairs() []pair {
	var all []pair
	for _, group := range [][]pair{
		upPairs(), interfacePairs(), closurePairs(), storePairs(), callPairs(), sizePairs(), literalPairs(),
		textPairs(), runtimePairs(), genericPairs(),
	} {
		all = append(all, group...)
	}
	return all
}

func causeCases() []benchCase {
	var cases []benchCase
	for _, p := range pairs() {
		cases = append(cases, p.cases()...)
	}
	return cases
}

// vec is the value that most pairs make: three words, no pointers.
type vec struct{ X, Y, Z int }

func (v vec) sum() int { return v.X + v.Y + v.Z }

// large keeps a number out of the table of the integers below 256, whose boxing
// makes no object.
func large(i int) int { return i | 1<<10 }

// BenchmarkCause does the same work in the form that escapes and in the form that
// the usual advice makes of it.
//
// The expectations hold with every Go from 1.13 to 1.27; the exact numbers of each
// are the histories of the pairs, which the package's tests hold them to. Where an
// expectation is a range, the compiler of some version does what the fix does.
//
//memcost:full -cause:(returned-pointer OR outlives-loop OR boxing OR fmt OR closure OR defer-loop OR store OR
//memcost:more interface-call OR reflect OR variable-make OR append-growth OR string-of-bytes OR map-growth)
//memcost:explain form:escapes in {cause}Escapes
//memcost:explain form:fixed in {cause}Fixed
//memcost:expect form:fixed -cause:(concat-loop OR map-growth) allocs/op == 0
//memcost:expect form:fixed cause:map-growth allocs/op < 1
//memcost:more # a cleared map makes overflow buckets anew, now and then, up to Go 1.23
//memcost:expect (form:escapes cause:(returned-pointer OR callers-buffer OR constructor OR leaking-param OR boxing
//memcost:more OR pointer-shaped OR method-value)) OR (form:fixed cause:concat-loop) allocs/op == 1
//memcost:expect form:escapes cause:(store OR map-value OR map-key OR channel-send OR interface-call OR func-value
//memcost:more OR unsafe) allocs/op == 1
//memcost:expect form:escapes cause:(too-large OR variable-make OR slice-literal OR string-of-bytes OR
//memcost:more bytes-of-string OR concat OR make-chan OR generics) allocs/op == 1
//memcost:expect form:escapes cause:(fmt OR log-guard OR closure OR map-literal) allocs/op == 2
//memcost:expect form:escapes cause:outlives-loop allocs/op == 4
//memcost:expect form:escapes cause:(append-growth OR concat-loop OR loop-variable) allocs/op >= 3
//memcost:more # 6 up to Go 1.24, then 3; 8; 5 up to Go 1.21, then 4
//memcost:expect form:escapes cause:(map-growth OR go-statement) allocs/op >= 1
//memcost:more # the map's depends on its seed; 1 up to Go 1.16, then 2
//memcost:expect form:escapes cause:defer-loop allocs/op <= 4 # 0 up to Go 1.16
//memcost:expect form:escapes cause:(reflect OR reflect-set OR small-make) allocs/op <= 1
//memcost:more # 0 from Go 1.21, 1.21 and 1.25 on
//memcost:claim fix [own] form:escapes / form:fixed > 1 for every cause # The usual fix makes the operation faster
func BenchmarkCause(b *testing.B) { runCases(b, causeCases()) }
