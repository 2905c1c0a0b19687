// Hello prints one line. Its stack grows before main starts: the packages that
// fmt needs allocate when they are initialised.
package main

import "fmt"

func main() { fmt.Println("Hello, world!") }
