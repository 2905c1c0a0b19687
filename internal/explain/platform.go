package explain

import "runtime"

// platform is what the binaries run on: "linux/amd64".
func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }
