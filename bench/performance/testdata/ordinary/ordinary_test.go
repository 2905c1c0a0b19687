// Package ordinary holds seven benchmarks of the kinds that people write. Nothing
// is to be learnt from their figures: they are run against themselves.
package ordinary

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	sinkInt   int
	sinkNode  *node
	sinkText  string
	sinkHash  [sha256.Size]byte
	sinkBytes = make([]byte, 1<<20)
)

func BenchmarkSort(b *testing.B) {
	shuffled := rand.New(rand.NewPCG(1, 2)).Perm(10_000)
	work := make([]int, len(shuffled))
	for i := 0; i < b.N; i++ {
		copy(work, shuffled)
		slices.Sort(work)
	}
	sinkInt = work[0]
}

func BenchmarkMap(b *testing.B) {
	m := map[int]int{}
	for i := range 100_000 {
		m[i*7919] = i
	}
	b.ResetTimer()
	sum := 0
	for i := 0; i < b.N; i++ {
		sum += m[i%100_000*7919]
	}
	sinkInt = sum
}

type node struct {
	next  *node
	value [6]int
}

// BenchmarkSmallAllocs makes a list of 1,000 nodes of 56 bytes.
func BenchmarkSmallAllocs(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var head *node
		for j := range 1_000 {
			head = &node{next: head, value: [6]int{j}}
		}
		sinkNode = head
	}
}

func BenchmarkCopyMiB(b *testing.B) {
	from := make([]byte, len(sinkBytes))
	for i := range from {
		from[i] = byte(i)
	}
	b.SetBytes(int64(len(from)))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		copy(sinkBytes, from)
	}
}

func BenchmarkStringBuilding(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var s strings.Builder
		for j := range 1_000 {
			s.WriteString("item ")
			s.WriteString(strconv.Itoa(j))
		}
		sinkText = s.String()
	}
}

func BenchmarkHash(b *testing.B) {
	block := make([]byte, 64<<10)
	b.SetBytes(int64(len(block)))
	for i := 0; i < b.N; i++ {
		block[0] = byte(i)
		sinkHash = sha256.Sum256(block)
	}
}

func BenchmarkPingPong(b *testing.B) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v
		}
		close(pong)
	}()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		ping <- i
		sinkInt = <-pong
	}
	b.StopTimer()
	close(ping)
	<-pong
}
