package allocator

import "runtime"

// machineName returns what compilers call the processor that this program runs on.
func machineName() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	case "386":
		return "i386"
	}
	return runtime.GOARCH
}
