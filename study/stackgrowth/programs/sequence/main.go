// Sequence runs twelve goroutines one after the other. Each needs more than the
// stack that it starts with, and gives both back: the next one finds them.
package main

import "fmt"

//go:noinline
func deep(n int) byte {
	var frame [512]byte
	frame[n%512] = 1
	if n > 0 {
		frame[0] += deep(n - 1)
	}
	return frame[n%512]
}

func main() {
	sum := 0
	for i := 0; i < 12; i++ {
		done := make(chan byte)
		go func() { done <- deep(10) }()
		sum += int(<-done)
	}
	fmt.Println(sum)
}
