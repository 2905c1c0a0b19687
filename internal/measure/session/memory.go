package session

import "memcost/internal/machine"

// memory returns how many bytes can be allocated without harm to other processes: the
// least of the machine's and the container's.
func memory() (int64, bool) {
	fp, err := machine.ReadFingerprint("")
	if err != nil || fp.MemoryAvailableBytes <= 0 {
		return 0, false
	}
	n := fp.MemoryAvailableBytes
	if fp.CgroupMemoryBytes > 0 {
		n = min(n, fp.CgroupMemoryBytes*3/4)
	}
	return n, true
}
