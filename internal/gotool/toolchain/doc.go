// Package toolchain finds Go toolchains and builds benchmark binaries with them.
//
// Toolchains other than the local one are Go's own toolchain modules
// (https://go.dev/doc/toolchain), downloaded and verified by the go command.
package toolchain
