package plan

import (
	"hash/fnv"
	"math/rand/v2"
)

// stream returns a random stream of its own per purpose and round, so that a round can be
// drawn without drawing those before it.
func stream(seed uint64, purpose string, round int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()+uint64(round)))
}
