// Empty does nothing: its log shows which stacks the runtime itself needs.
package main

func main() {}
