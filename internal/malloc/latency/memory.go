package latency

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/study/language"
)

// memoryJSON is the part of the output of malloc_bench --memory that is read; see
// study/malloc/src/memory.cpp.
type memoryJSON struct {
	Runs []struct {
		Pattern string  `json:"pattern"`
		Size    int64   `json:"size"`
		Skipped string  `json:"skipped"`
		Invalid string  `json:"invalid"`
		Nulls   float64 `json:"nulls"`
		Live    float64 `json:"peak_live"`
		Peak    float64 `json:"peak_resident"`
		Freed   float64 `json:"freed_resident"`
		Idle    float64 `json:"idle_resident"`
		Ratio   float64 `json:"live_per_resident"`
		Worst   float64 `json:"worst_live_per_resident"`
		Series  []struct {
			At       float64 `json:"at"`
			Live     float64 `json:"live"`
			Resident float64 `json:"resident"`
		} `json:"series"`
	} `json:"runs"`
}

// memorySteps is the number of moments of which a record is kept, up to the idle end.
// Under every allocator the same operations come before a step.
const memorySteps = 25

// memoryRecords reads the records of malloc_bench --memory. A pattern without figures is a
// warning.
func memoryRecords(v language.Variant, stdout []byte) (out []*benchfmt.Result, warnings []string, err error) {
	var x memoryJSON
	if err := json.Unmarshal(stdout, &x); err != nil || len(x.Runs) == 0 {
		return nil, nil, fmt.Errorf("what it printed cannot be read: %w", errors.Join(err))
	}
	first := float64(pool(v)) // malloc_bench counts what is resident beyond it
	for _, r := range x.Runs {
		keys := fmt.Sprintf("pattern=%s/size=%d", r.Pattern, r.Size)
		if why := cmp.Or(r.Skipped, r.Invalid); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s, --memory, %s: not measured: %s", v.Keys, keys, why))
			continue
		}
		values := []benchfmt.Value{
			{Value: r.Live, Unit: "peak-live-B"}, {Value: first + r.Peak, Unit: "peak-RSS-B"},
			{Value: first + r.Freed, Unit: "freed-RSS-B"}, {Value: first + r.Idle, Unit: "idle-RSS-B"},
			{Value: r.Nulls, Unit: "nulls"}}
		if first > 0 {
			values = append(values, benchfmt.Value{Value: r.Live / (first + r.Peak), Unit: "live/RSS"})
		} else {
			values = append(values, benchfmt.Value{Value: r.Ratio, Unit: "live/RSS"},
				benchfmt.Value{Value: r.Worst, Unit: "worst-live/RSS"})
		}
		out = append(out, &benchfmt.Result{Name: benchfmt.Name(variantName("Memory/"+keys, v.Keys)), Iters: 1,
			Values: values})
		for step := 0; step < memorySteps && len(r.Series) > 0; step++ {
			// the first moment is left out: almost nothing is allocated yet
			p := r.Series[(step+1)*(len(r.Series)-1)/memorySteps]
			for _, held := range []struct {
				by    string
				bytes float64
			}{{"allocator", first + p.Resident}, {"program", p.Live}} {
				name := fmt.Sprintf("Held/by=%s/%s/step=%d", held.by, keys, step)
				out = append(out, &benchfmt.Result{Name: benchfmt.Name(variantName(name, v.Keys)), Iters: 1,
					Values: []benchfmt.Value{
						{Value: held.bytes, Unit: "held-B"}, {Value: p.At, Unit: "at-sec"}}})
			}
		}
	}
	if len(out) == 0 {
		return nil, warnings, errors.New("it measured nothing")
	}
	return out, warnings, nil
}
