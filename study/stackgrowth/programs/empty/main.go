// Empty does nothing: what the runtime itself needs of stacks.
package main

func main() {}
