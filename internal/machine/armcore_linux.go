package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// armCore holds the fields of the register MIDR_EL1 that /proc/cpuinfo prints:
// implementer, part, variant and revision.
type armCore struct{ implementer, part, variant, revision string }

// armImplementers are the codes of MIDR_EL1[31:24].
var armImplementers = map[uint64]string{
	0x41: "Arm", 0x42: "Broadcom", 0x43: "Cavium", 0x46: "Fujitsu", 0x48: "HiSilicon",
	0x4e: "NVIDIA", 0x50: "APM", 0x51: "Qualcomm", 0x53: "Samsung", 0x61: "Apple",
	0x6d: "Microsoft", 0x70: "Phytium", 0xc0: "Ampere",
}

// armParts are the codes of MIDR_EL1[15:4], below the implementer's. Sources:
// Linux, arch/arm64/include/asm/cputype.h, and util-linux, sys-utils/lscpu-arm.c,
// which take them from each core's Technical Reference Manual. Only cores that run
// Go on Linux today are listed; another is shown by its numbers.
var armParts = map[[2]uint64]string{
	{0x41, 0xc07}: "Cortex-A7", {0x41, 0xc08}: "Cortex-A8", {0x41, 0xc09}: "Cortex-A9",
	{0x41, 0xc0f}: "Cortex-A15", {0x41, 0xb76}: "ARM1176",
	{0x41, 0xd03}: "Cortex-A53", {0x41, 0xd04}: "Cortex-A35", {0x41, 0xd05}: "Cortex-A55",
	{0x41, 0xd07}: "Cortex-A57", {0x41, 0xd08}: "Cortex-A72", {0x41, 0xd09}: "Cortex-A73",
	{0x41, 0xd0a}: "Cortex-A75", {0x41, 0xd0b}: "Cortex-A76", {0x41, 0xd0d}: "Cortex-A77",
	{0x41, 0xd41}: "Cortex-A78", {0x41, 0xd42}: "Cortex-A78AE", {0x41, 0xd4b}: "Cortex-A78C",
	{0x41, 0xd46}: "Cortex-A510", {0x41, 0xd47}: "Cortex-A710", {0x41, 0xd4d}: "Cortex-A715",
	{0x41, 0xd81}: "Cortex-A720", {0x41, 0xd87}: "Cortex-A725", {0x41, 0xd85}: "Cortex-X925",
	{0x41, 0xd44}: "Cortex-X1", {0x41, 0xd48}: "Cortex-X2", {0x41, 0xd4e}: "Cortex-X3",
	{0x41, 0xd0c}: "Neoverse-N1", {0x41, 0xd49}: "Neoverse-N2", {0x41, 0xd8e}: "Neoverse-N3",
	{0x41, 0xd40}: "Neoverse-V1", {0x41, 0xd4f}: "Neoverse-V2", {0x41, 0xd84}: "Neoverse-V3",
	{0x41, 0xd4a}: "Neoverse-E1",
	{0x43, 0x0a1}: "ThunderX", {0x43, 0x0af}: "ThunderX2", {0x42, 0x516}: "ThunderX2",
	{0x46, 0x001}: "A64FX", {0x48, 0xd01}: "Kunpeng-920", {0x4e, 0x004}: "Carmel",
	{0x61, 0x022}: "Icestorm-M1", {0x61, 0x023}: "Firestorm-M1",
	{0x61, 0x032}: "Blizzard-M2", {0x61, 0x033}: "Avalanche-M2",
	{0x6d, 0xd49}: "Azure Cobalt 100", // a Neoverse-N2
	{0xc0, 0xac3}: "Ampere-1", {0xc0, 0xac4}: "Ampere-1a",
}

// name returns a name such as "Cortex-A72 r0p3", "Arm part 0xabc r1p0" for an unlisted
// part, or "" where cpuinfo printed no part.
func (c armCore) name() string {
	part, err := strconv.ParseUint(c.part, 0, 16)
	if err != nil {
		return ""
	}
	implementer, err := strconv.ParseUint(c.implementer, 0, 8)
	if err != nil {
		return ""
	}
	name, ok := armParts[[2]uint64{implementer, part}]
	if !ok {
		vendor, ok := armImplementers[implementer]
		if !ok {
			vendor = fmt.Sprintf("Arm implementer 0x%02x", implementer)
		}
		name = fmt.Sprintf("%s part 0x%03x", vendor, part)
	}
	variant, err := strconv.ParseUint(c.variant, 0, 8)
	if err != nil || strings.TrimLeft(c.revision, "0123456789") != "" || c.revision == "" {
		return name
	}
	return fmt.Sprintf("%s r%dp%s", name, variant, shorten(c.revision))
}
