package toolchain

import (
	"go/version"
	"slices"
	"strings"

	"memcost/internal/base/hint"
)

// module is the path of the toolchain modules. Their versions read
// v0.0.1-go1.25.4.linux-amd64.
const (
	module = "golang.org/toolchain"
	prefix = "v0.0.1-"
)

// parseList reads `go list -m -versions golang.org/toolchain`.
func parseList(text, goos, goarch string) []string {
	var list []string
	for _, word := range strings.Fields(text) {
		v, ok := strings.CutPrefix(word, prefix)
		if !ok {
			continue
		}
		if v, ok = strings.CutSuffix(v, "."+goos+"-"+goarch); ok && version.IsValid(v) {
			list = append(list, v)
		}
	}
	return list
}

// parseVersion parses what a user may call a version. A series ("1.25") has no patch
// level, and selects among all of its releases.
func parseVersion(name string) (v string, series bool, err error) {
	v = "go" + strings.TrimPrefix(name, "go")
	if !version.IsValid(v) || strings.Contains(v, "-") {
		return "", false, hint.New(
			"write local, 1.25.4, go1.25.4, or 1.25 for the latest patch of Go 1.25",
			"finding Go %q: that is not a Go version", name)
	}
	// Before 1.21 the first release of a series had no patch level in its name.
	if base, ok := strings.CutSuffix(v, ".0"); ok && version.Lang(v) == base && version.Compare(v, "go1.21") < 0 {
		return base, false, nil
	}
	return v, version.Lang(v) == v, nil
}

// Sort sorts versions, oldest first.
func Sort(versions []string) { slices.SortFunc(versions, version.Compare) }

// LastPatch returns the newest version of a series ("go1.25"), a release rather than a
// candidate; "" if there is none.
func LastPatch(versions []string, series string) string {
	last := ""
	for _, v := range versions {
		if version.Lang(v) != series || strings.Contains(v, "-") {
			continue
		}
		if last == "" || isRelease(v) && !isRelease(last) ||
			isRelease(v) == isRelease(last) && version.Compare(v, last) > 0 {
			last = v
		}
	}
	return last
}

// isRelease reports whether a version is a release (go1.25.4), not a candidate
// (go1.25rc1).
func isRelease(v string) bool { return !strings.Contains(v, "rc") && !strings.Contains(v, "beta") }

// nearest returns the versions that a user who asked for v may have meant: those of its
// series, else the neighbouring ones.
func nearest(known []string, v string) string {
	var same []string
	for _, k := range known {
		if version.Lang(k) == version.Lang(v) {
			same = append(same, k)
		}
	}
	if len(same) > 8 { // the latest ones are enough
		same = append([]string{same[0], "…"}, same[len(same)-6:]...)
	}
	if len(same) == 0 {
		i, _ := slices.BinarySearchFunc(known, v, version.Compare)
		same = known[max(0, i-3):min(len(known), i+3)]
	}
	if len(same) == 0 {
		return "not known"
	}
	return strings.Join(same, ", ")
}
