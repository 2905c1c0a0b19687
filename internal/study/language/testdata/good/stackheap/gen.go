//go:build ignore

// Command gen is no part of the study.
package main

//memcost:claim gen place:x ns/op > 1
func main() {}
