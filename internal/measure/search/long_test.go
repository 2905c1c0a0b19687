package search

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// available is the memory that can be had, as Linux says.
func available() (int64, bool) {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); err == nil {
			return kib << 10, true
		}
	}
	return 0, false
}

// Every row of the releases in which something changed, against what is known.
// MEMCOST_LONG=1 downloads them.
func TestReleases(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") == "" {
		t.Skip("make test-long runs this")
	}
	if _, ok := available(); !ok {
		t.Skip("how much memory there is is known on Linux only")
	}
	versions := []string{"1.13.15", "1.14.15", "1.15.15", "1.16.15", "1.17.13", "1.18.10", "1.19.13", "1.20.14",
		"1.23.12", "1.24.13", "1.25.4", "1.26.8", "1.27.4"}
	table := map[string][]string{}
	for _, v := range versions {
		o := options(t, findGo(t, v))
		o.Log = func(string) {}
		o.Memory = available
		start := time.Now()
		rows, err := found(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		checkFacts(t, rows)
		for _, r := range rows {
			table[r.Name] = append(table[r.Name], fmt.Sprintf("%10.10g", r.Value))
		}
		table["seconds"] = append(table["seconds"], fmt.Sprintf("%10.1f", time.Since(start).Seconds()))
	}
	for _, name := range append(Names(), "seconds") {
		t.Logf("%-36s %s", name, strings.Join(table[name], " "))
	}
}
