package binary

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
)

// A file that was cut off or damaged gives an error, or fewer calls, and never a panic.
func TestDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	data, err := os.ReadFile(build(t, "linux/amd64"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	opened, refused := 0, 0
	for i := range 60 {
		broken := bytes.Clone(data)
		if i%4 == 0 {
			broken = broken[:random.IntN(len(data))]
		}
		for range random.IntN(1000) {
			broken[random.IntN(len(broken))] = byte(random.Uint32())
		}
		p, err := Open(bytes.NewReader(broken))
		if err != nil {
			refused++
			continue
		}
		opened++
		calls, err := p.Calls(ofMain)
		if err == nil && len(calls) > 200 {
			t.Errorf("%d calls in a damaged program", len(calls))
		}
		p.Partial()
	}
	if opened == 0 || refused == 0 {
		t.Errorf("%d opened, %d refused", opened, refused)
	}
}
