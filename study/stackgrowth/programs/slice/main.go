// Slice makes a slice of 64 KiB less one byte, the largest of constant size
// that stays on the stack in every Go from 1.13 on.
package main

//go:noinline
func fill(s []byte, b byte) {
	for i := range s {
		s[i] = b
	}
}

//go:noinline
func work(b byte) byte {
	s := make([]byte, 64<<10-1)
	fill(s, b)
	return s[len(s)-1]
}

func main() {
	if work(7) != 7 {
		panic("the slice does not hold what was written")
	}
}
