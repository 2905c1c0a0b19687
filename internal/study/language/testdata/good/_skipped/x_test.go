package skipped

import "testing"

func BenchmarkX(b *testing.B) {}
