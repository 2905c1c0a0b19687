// Goroutines prints one line from each of twelve goroutines: each needs a stack,
// and the first gets the one that main gave back when it grew.
package main

import "fmt"

func main() {
	done := make(chan bool)
	for i := 0; i < 12; i++ {
		go func() {
			fmt.Println("Hello, world!")
			done <- true
		}()
	}
	for i := 0; i < 12; i++ {
		<-done
	}
}
