package stackheap

// BenchmarkElsewhere is not run by go test.
func BenchmarkElsewhere() {}
