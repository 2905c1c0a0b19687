package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Kind returns a short hash of what machines of one kind have in common: the hardware, the
// hypervisor and the system, but neither a name nor a setting. What takes so many iterations on
// one of them takes as many on another.
func (fp Fingerprint) Kind() string {
	h := sha256.New()
	for _, s := range []string{fp.OS, fp.Arch, fp.Board, fp.CPUModel, fp.Virtualization} {
		fmt.Fprintf(h, "%q\n", s)
	}
	fmt.Fprintf(h, "%d CPUs, %d of them, %d GiB\n", fp.CPUsOnline, fp.GOMAXPROCS, (fp.MemoryBytes+1<<29)>>30)
	writeCaches(h, fp.Caches)
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// A Place is a machine among others: of its kind, and told from the others of it by the system's
// own identity. Neither changes with the name of the machine, nor when it starts again.
type Place struct {
	Kind string // see Fingerprint.Kind
	ID   string // the kind, and the beginning of Identity.ID
}

// PlaceOf returns the place of the machine below root, of which fp was read. It returns
// ErrNoIdentity where the system has none.
func PlaceOf(root string, fp Fingerprint) (Place, error) {
	i, err := Identify(root)
	if err != nil {
		return Place{}, err
	}
	const digits = 12 // of 32: a million machines of a kind share one by chance once in 500 times
	return Place{Kind: fp.Kind(), ID: fp.Kind() + "-" + i.ID[:digits]}, nil
}
