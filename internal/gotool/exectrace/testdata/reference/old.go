//go:build ignore

// As main.go, for Go 1.21, whose own analysis is the one of traces of Go 1.21
// and older: the minimum mutator utilization only.
package main

import (
	"encoding/json"
	"fmt"
	"internal/trace"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	all := map[string]map[string]float64{}
	for _, path := range os.Args[1:] {
		file, err := os.Open(path)
		if err != nil {
			panic(err)
		}
		parsed, err := trace.Parse(file, "")
		if err != nil {
			panic(err)
		}
		util := trace.MutatorUtilization(parsed.Events, trace.UtilSTW|trace.UtilBackground|trace.UtilAssist|trace.UtilSweep)
		mmu := map[string]float64{}
		for _, w := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
			mmu[w.String()] = trace.NewMMUCurve(util).MMU(w)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".trace")] = mmu
	}
	out, _ := json.MarshalIndent(all, "", "\t")
	fmt.Println(string(out))
}
