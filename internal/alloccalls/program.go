package alloccalls

// A Program is an executable file of Go.
type Program struct{}
