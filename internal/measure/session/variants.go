package session

import (
	"slices"
	"strings"

	"memcost/internal/malloc/allocator"
	"memcost/internal/study/language"
)

// variantsHere returns those of a study's variants that this machine can run: libraries
// to preload are looked up, and a variant without its library is left out. With
// published, only published variants are returned.
func (r *record) variantsHere(st *language.Study, published bool) []language.Variant {
	var out []language.Variant
	for _, v := range st.Variants {
		if published && !slices.Contains(st.Published, v.Keys) {
			continue
		}
		missing := ""
		v.Env = slices.Clone(v.Env)
		for i, kv := range v.Env {
			if name, ok := strings.CutPrefix(kv, "LD_PRELOAD="); ok {
				path, found := allocator.Library(name)
				if !found {
					missing = name
				}
				v.Env[i] = "LD_PRELOAD=" + path
			}
		}
		if missing != "" {
			r.leftOut("%s with %s: there is no %s here (%s)", st.Name, v.Keys, missing, v.Hint)
			continue
		}
		out = append(out, v)
	}
	return out
}
