// Package study carries the source of the shipped studies inside the program:
// one folder of plain benchmarks each, which go test runs without memcost.
package study

import "embed"

// FS holds one folder for each study.
//
//go:embed arena buffers busy escape gccost limits malloc/CMakeLists.txt malloc/CMakePresets.json
//go:embed malloc/*.cpp malloc/*.toml
//go:embed malloc/cliffs malloc/cmake malloc/latency malloc/src onaxis parallel stackgrowth stackheap stacklog
var FS embed.FS

// Certify holds the benchmarks by which memcost certify proves the instrument. They are no
// study.
//
//go:embed certify
var Certify embed.FS
