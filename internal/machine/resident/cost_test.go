package resident

import (
	"os"
	"testing"
)

// What a look costs: the budget of the sampler rests on these.
func BenchmarkReading(b *testing.B) {
	p, pid := Proc(""), os.Getpid()
	block := make([]byte, 128<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	o, err := p.Open(pid)
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	b.Run("file=statm", func(b *testing.B) {
		for range b.N {
			o.Resident()
		}
	})
	b.Run("file=clock", func(b *testing.B) {
		for range b.N {
			CPUTime(pid)
		}
	})
	b.Run("file=children", func(b *testing.B) {
		for range b.N {
			o.Children()
		}
	})
	b.Run("file=status", func(b *testing.B) {
		for range b.N {
			_, _ = p.Status(pid)
		}
	})
	b.Run("file=smaps_rollup", func(b *testing.B) {
		for range b.N {
			_, _ = p.Rollup(pid)
		}
	})
	b.Log(len(block))
}
