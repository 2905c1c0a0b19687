package fleet

import (
	"encoding/json"
	"os"
	"path/filepath"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// A local is an attempt in a run folder of this machine.
type local struct {
	dir     string
	attempt plan.Attempt
}

// localAttempts finds the attempts at a plan among run folders. A folder that cannot be read is none.
func localAttempts(results, hash, machine string) []local {
	dirs, _ := filepath.Glob(filepath.Join(results, "*", store.QuestionFile))
	var out []local
	for _, path := range dirs {
		data, err := os.ReadFile(path)
		var q struct {
			Attempt *plan.Attempt `json:"attempt"`
		}
		if err != nil || json.Unmarshal(data, &q) != nil || q.Attempt == nil {
			continue
		}
		if a := *q.Attempt; a.Plan == hash && a.Machine == machine && a.Check() == nil {
			out = append(out, local{filepath.Dir(path), a})
		}
	}
	return out
}
