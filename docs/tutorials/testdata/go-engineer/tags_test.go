package tags

import "testing"

const line = "host=web-17 zone=eu-west-1 service=checkout version=2.4.1 "

var buffer []byte

func BenchmarkAppend(b *testing.B) {
	tags := Parse(line)
	buffer = make([]byte, 0, 128)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		buffer = Append(buffer[:0], tags)
	}
}
