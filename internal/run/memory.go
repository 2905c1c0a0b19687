package run

import "memcost/internal/machine"

// memory is what can be had without harm to others: of the machine, and of the container.
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
