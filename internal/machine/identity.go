package machine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"memcost/internal/base/units"
)

// application is memcost's own identifier, by which a machine's identity is hashed.
var application = [16]byte{0x6d, 0x65, 0x6d, 0x63, 0x6f, 0x73, 0x74, 0x0c, 0x9e, 0x41, 0x52, 0x8a, 0xd3, 0x17, 0xb0,
	0x66}

// ErrNoIdentity is a machine that cannot be told from another of its kind.
var ErrNoIdentity = errors.New("this machine has no identity that outlasts a restart")

// An Identity tells one computer from every other, two identical boards from each other, and
// stays the same when the computer is renamed or started again.
type Identity struct {
	// ID is a hash of the system's own identity of the installation and of the hardware
	// below. It does not give the system's away, which is confidential: machine-id(5).
	ID          string `json:"id"`
	CPUModel    string `json:"cpu"`
	CPUs        int    `json:"cpus"` // that the kernel has
	MemoryBytes int64  `json:"memory_bytes"`
	System      string `json:"system"` // "linux/amd64"
}

// String describes the computer, without its ID.
func (i Identity) String() string {
	return fmt.Sprintf("%s, %d CPUs, %s, %s", i.CPUModel, i.CPUs, units.Bytes(i.MemoryBytes), i.System)
}

// Identify returns the identity of the machine below root, as [ReadFingerprint] takes it. It
// returns ErrNoIdentity where the system has none, as in a container without a machine-id.
func Identify(root string) (Identity, error) {
	own, err := installation(root)
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrNoIdentity, err)
	}
	fp, err := ReadFingerprint(root)
	if err != nil {
		return Identity{}, err
	}
	i := Identity{CPUModel: fp.CPUModel, CPUs: fp.CPUsOnline, MemoryBytes: fp.MemoryBytes,
		System: fp.OS + "/" + fp.Arch}
	// The kernel's own share of the memory changes a little with every update: whole GiB count.
	gib := (i.MemoryBytes + 1<<29) >> 30
	i.ID = applicationID(own, fmt.Sprintf("%q %d CPUs %d GiB %s", i.CPUModel, i.CPUs, gib, i.System))
	return i, nil
}

// applicationID hashes an identity as sd_id128_get_machine_app_specific(3) advises: HMAC-SHA256
// with the identity as its key, over the application's identifier, so that neither the
// identity nor what another application makes of it can be found from the result.
func applicationID(identity, hardware string) string {
	mac := hmac.New(sha256.New, []byte(identity))
	mac.Write(application[:])
	mac.Write([]byte(hardware))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
