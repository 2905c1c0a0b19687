// Package toolchain finds Go toolchains and builds benchmark binaries with them.
//
// Toolchains other than the local one are Go's own toolchain modules
// (https://go.dev/doc/toolchain), downloaded and verified by the go command.
package toolchain

import (
	"memcost/internal/base/proc"
)

// Toolchain is an installed Go.
type Toolchain struct {
	Version string // as `go version` has it: "go1.25.4"
	GOROOT  string // symbolic links resolved
	GoCmd   string // path of its go command
	Local   bool   // the go on PATH
}

// Finder finds toolchains.
type Finder struct {
	Runner *proc.Runner
	Env    []string     // environment of the user; nil is memcost's own
	Log    func(string) // called with downloads and with substitutes; may be nil
}
