// Package causes puts something on the heap in each function, for the cause that the
// comment over it names by its key. It compiles with Go 1.13; ../capture.sh
// records what each toolchain says about it.
package causes

import (
	"fmt"
	"io"
	"log"
	"reflect"
	"sync"
	"unsafe"
)

type vec struct{ X, Y, Z int }

type node struct {
	p    *vec
	list []*vec
	f    func(*vec)
}

type filler interface{ fill(v *vec) }

func (v vec) plus(n int) int { return v.X + n }

//go:noinline
func (v *vec) keep() { global = v }

var (
	global   *vec
	box      interface{}
	byKey    = map[int]*vec{}
	anyKey   = map[interface{}]int{}
	queue    = make(chan *vec, 1)
	anyFill  filler
	fillFunc func(*vec)
	callFunc func(func(int) int) int
	text     string
	octets   []byte
	runes    []rune
	numbers  []int
	tables   map[string]int
	kept     func() int
	locks    [4]sync.Mutex
)

// cause: returned-pointer
func returnsVariable(i int) *vec {
	v := vec{i, 1, 2}
	return &v
}

// cause: returned-pointer
func returnsLiteral(i int) *vec { return &vec{i, 1, 2} }

// cause: returned-pointer
func returnsNew() (p *vec) {
	p = new(vec)
	return p
}

// cause: returned-pointer
func returnsSliceOf() []int {
	var a [4]int
	return a[:]
}

// cause: returned-pointer
func returnsConstantMake() []byte { return make([]byte, 8) }

// cause: boxing
func boxesValue(i int) { box = vec{i, 1, 2} }

// cause: boxing
func boxesVariable(v vec) { box = v }

// cause: boxing
func boxesReturned(i int) interface{} { return i }

// cause: boxing
func boxesField(v vec) { box = v.Y }

func twice(i int) int { return 2 * i }

// cause: boxing
func boxesInlined(i int) { box = twice(i) }

// cause: boxing
func boxesSum(i int) { box = i + 1000 }

// cause: boxing
func boxesConstant() { box = "nothing to allocate" }

// cause: closure
func keepsPlainLiteral() { kept = func() int { return 7 } }

// cause: fmt
func formats(i int) string { return fmt.Sprintf("%d", i) }

// cause: fmt
func formatsTo(w io.Writer, v vec) { fmt.Fprintln(w, v.X, v) }

// cause: fmt
func logs(i int) { log.Printf("%d", i) }

// cause: fmt
func wraps(i int) error { return fmt.Errorf("number %d", i) }

// cause: closure
func capturesByReference(i int) {
	n := i
	kept = func() int {
		n++
		return n
	}
}

// cause: closure
func capturesByValue(i int) func() int { return func() int { return i } }

// cause: go-statement
func starts(i int) {
	n := i
	done := make(chan bool)
	go func() {
		n++
		done <- true
	}()
	<-done
	_ = n
}

// cause: defer-loop
// since: go1.18
func defersInLoop() {
	for i := range locks {
		locks[i].Lock()
		defer locks[i].Unlock()
	}
}

// cause: store
func storesGlobal(i int) { global = &vec{i, 1, 2} }

// cause: store
func storesField(n *node, i int) {
	v := vec{i, 1, 2}
	n.p = &v
}

// cause: store
func storesInLiteral(i int) *node { return &node{p: &vec{i, 1, 2}} }

// cause: store
func storesByAppend(n *node, i int) {
	v := vec{i, 1, 2}
	n.list = append(n.list, &v)
}

// cause: map-put
func putsValue(i int) {
	v := vec{i, 1, 2}
	byKey[i] = &v
}

// cause: map-put
func putsLiteral(i int) { byKey[i] = &vec{i, 1, 2} }

// cause: boxing
func putsKey(i int) { anyKey[i] = i }

// cause: channel-send
func sends(i int) {
	v := vec{i, 1, 2}
	queue <- &v
}

// cause: channel-send
func sendsLiteral(i int) { queue <- &vec{i, 1, 2} }

// cause: indirect-call
func callsInterface(i int) int {
	v := vec{i, 1, 2}
	anyFill.fill(&v)
	return v.X
}

// cause: indirect-call
func callsFunc(i int) int {
	v := vec{i, 1, 2}
	fillFunc(&v)
	return v.X
}

// cause: indirect-call
func callsField(n *node, i int) int {
	v := vec{i, 1, 2}
	n.f(&v)
	return v.X
}

// cause: indirect-call
func callsWriter(w io.Writer) {
	var b [8]byte
	w.Write(b[:])
}

// cause: reflect
// until: go1.20
func reflectsPointer(i int) int {
	v := vec{i, 1, 2}
	return int(reflect.ValueOf(&v).Elem().Field(0).Int())
}

// cause: unsafe
func handsNumber(i int) int {
	v := vec{i, 1, 2}
	return takesNumber(uintptr(unsafe.Pointer(&v)))
}

//go:uintptrescapes
//go:noinline
func takesNumber(p uintptr) int { return int(p & 7) }

// cause: method-value
func bindsMethod(v vec) int { return callFunc(v.plus) }

// cause: too-large
func largeMake() int {
	b := make([]byte, 80<<10)
	return len(b) + int(b[5])
}

// cause: too-large
func largeVariable() byte {
	var b [11 << 20]byte
	return b[len(b)/2]
}

// cause: variable-make
// until: go1.24
func makesVariable(n int) int {
	b := make([]byte, n)
	return len(b)
}

// cause: append-growth
// since: go1.25
func appends(i int) { numbers = append(numbers, i) }

// cause: slice-literal
func listsNumbers(i int) { numbers = []int{i, 1, 2} }

// cause: map-literal
func listsPairs(i int) { tables = map[string]int{"a": i, "b": 2} }

// cause: map-literal
func makesMap() { tables = make(map[string]int) }

// cause: text-conversion
func toString() { text = string(octets) }

// cause: text-conversion
func toBytes() { octets = []byte(text) }

// cause: text-conversion
func toRunes() { runes = []rune(text) }

// cause: concat
func joins(a, b string) { text = a + b }

// cause: outlives-loop
func outlives(n int) int {
	var best *vec
	for j := 0; j < n; j++ {
		v := vec{n ^ j, j, 1}
		if best == nil || v.X > best.X {
			best = &v
		}
	}
	return best.X
}

// cause: leaking-param
func handsDown(i int) int {
	v := vec{i, 1, 2}
	keeps(&v)
	return v.X
}

// cause: leaking-param
func handsReceiver(i int) int {
	v := vec{i, 1, 2}
	v.keep()
	return v.X
}

//go:noinline
func keeps(v *vec) { global = v }

// cause: panic
// since: go1.17
func panics(i int) {
	if i < 0 {
		panic(vec{i, 1, 2})
	}
}
