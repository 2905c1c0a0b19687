package result

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// Labels name the answers among each other: by the last element of their path,
// with the folder where that is the same.
func Labels(answers []*Answer) []string {
	out := make([]string, len(answers))
	for i, a := range answers {
		out[i] = filepath.Base(a.Dir)
		for _, b := range answers {
			if a != b && filepath.Base(b.Dir) == filepath.Base(a.Dir) {
				out[i] = fmt.Sprintf("%s in %s", filepath.Base(a.Dir), cmp.Or(filepath.Dir(a.Dir), "."))
			}
		}
	}
	for i := range out {
		if n := slices.Index(out, out[i]); n < i {
			out[i] += fmt.Sprintf(" (%d)", i+1)
		}
	}
	return out
}
