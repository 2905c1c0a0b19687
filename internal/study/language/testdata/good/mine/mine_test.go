package mine

import "testing"

// BenchmarkEncode encodes.
func BenchmarkEncode(b *testing.B) {}

func Benchmark_under(b *testing.B) {}

func Benchmark(b *testing.B) {}

func TestNot(t *testing.T) {}
