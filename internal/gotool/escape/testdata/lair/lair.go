// Package lair holds one function for each thing the compiler says about escape
// that the reader must tell apart. It compiles with Go 1.13; capture.sh beside it
// records what each toolchain says about it.
package lair

import (
	"errors"
	"fmt"
)

// Bilbo is small enough to travel in registers.
type Bilbo struct{ Age, Rings int }

// Smaug is too large for an explicit variable on the stack since Go 1.24.
type Smaug struct{ Body [256 << 10]byte }

var (
	errHungry = errors.New("hungry")
	sink      interface{}
	hoard     []*Bilbo
)

//go:noinline
func byValue(age int) Bilbo { return Bilbo{Age: age} }

//go:noinline
func byPointer(age int) *Bilbo {
	b := Bilbo{Age: age}
	return &b
}

//go:noinline
func literal(age int) *Bilbo { return &Bilbo{Age: age} }

//go:noinline
func shareDown(b *Bilbo) int { return b.Age }

//go:noinline
func leakResult(b *Bilbo) *Bilbo { return b }

//go:noinline
func leakGlobal(b *Bilbo) { hoard = append(hoard, b) }

//go:noinline
func bigVariable(n int) byte {
	var s Smaug
	s.Body[n] = 1
	return s.Body[n/2]
}

//go:noinline
func boxed(age int) { sink = age }

//go:noinline
func boxedConstant() { sink = "a constant" }

//go:noinline
func mustEat(b *Bilbo) {
	if b == nil {
		panic("no hobbit")
	}
	if b.Age == 0 {
		panic(errHungry)
	}
}

//go:noinline
func counter() func() int {
	n := 0
	return func() int {
		n++
		return n
	}
}

//go:noinline
func localClosure(n int) int {
	add := func(m int) int { return n + m }
	return add(1) + add(2)
}

//go:noinline
func variable(n int) int {
	s := make([]byte, n)
	return len(s)
}

//go:noinline
func grows(n int) int {
	var s []int
	for i := 0; i < n; i++ {
		s = append(s, i)
	}
	return len(s)
}

//go:noinline
func compares(b []byte) bool { return string(b) == "ring" }

//go:noinline
func prints(b Bilbo) string { return fmt.Sprintf("%d %v", b.Age, b) }

//go:noinline
func spawns(n int) chan int {
	c := make(chan int)
	go func() { c <- n }()
	return c
}

// inlined is small: its diagnostics appear again at the caller's line.
func inlined(age int) *Bilbo { return &Bilbo{Age: age} }

//go:noinline
func callsInlined() int { return shareDown(inlined(3)) }

//go:noinline
func (b Bilbo) older(by int) *Bilbo {
	b.Age += by
	return &b
}

//go:noinline
func (b *Bilbo) renamed(rings int) Bilbo {
	c := *b
	c.Rings = rings
	return c
}
