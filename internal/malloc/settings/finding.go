package settings

import "strings"

// A Finding says what is wrong with a setting.
type Finding struct {
	Dead   string   // in one line, why nothing can be measured with it; "" where it can
	Advice string   // what to do about it; "" where nothing is known
	Notes  []string // what the allocator said at its start
}

func libraryOf(env []string) string {
	for _, kv := range env {
		if library, ok := strings.CutPrefix(kv, "LD_PRELOAD="); ok {
			return library
		}
	}
	return ""
}
