// Array has a variable of 10 MiB, the largest that the compiler leaves on the
// stack up to Go 1.23; from 1.24 on it is moved to the heap.
package main

//go:noinline
func fill(a *[10 << 20]byte, b byte) {
	for i := range a {
		a[i] = b
	}
}

//go:noinline
func work(b byte) byte {
	var a [10 << 20]byte
	fill(&a, b)
	return a[len(a)-1]
}

func main() {
	if work(7) != 7 {
		panic("the array does not hold what was written")
	}
}
