package plan

import (
	"slices"
	"strings"
)

// VariantName puts a variant's keys behind the first part of a name, in place of those
// that the program itself put into it.
func VariantName(call, keys string) string {
	parts := strings.Split(call, "/")
	var own []string
	if keys != "" {
		own = strings.Split(keys, "/")
	}
	rest := slices.DeleteFunc(slices.Clone(parts[1:]), func(part string) bool {
		key, _, ok := strings.Cut(part, "=")
		return ok && slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, key+"=") })
	})
	return strings.Join(slices.Concat(parts[:1], own, rest), "/")
}
