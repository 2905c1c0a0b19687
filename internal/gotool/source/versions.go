// This part of the package reads lists of Go versions, as the flag --go has them.

package source

import (
	"context"
	"fmt"
	"go/version"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/toolchain"
	"memcost/published"
)

// oldestGo is the first release whose compiler and runtime memcost reads and changes.
const oldestGo = "go1.13"

// Check reports a list of Go versions that is wrong by its form.
func Check(list string) error {
	for v := range strings.SplitSeq(list, ",") {
		switch v = strings.TrimSpace(v); v {
		case "", "local", "published", "all":
		default:
			if !version.IsValid("go" + strings.TrimPrefix(v, "go")) {
				return hint.Usage("write local, published, all, 1.25.4, or 1.25 for the latest patch of Go 1.25",
					"--go %q: not a Go version", v)
			}
		}
	}
	return nil
}

// Expand expands a list of Go versions: 1.25.4,1.27 · local · all · published, which are
// the versions of the published figures of the named studies.
func Expand(ctx context.Context, finder *toolchain.Finder, list string, studies ...string) ([]string, error) {
	var out []string
	for v := range strings.SplitSeq(list, ",") {
		var more []string
		var err error
		switch v = strings.TrimSpace(v); v {
		case "":
		case "published":
			more, err = publishedVersions(studies)
		case "all":
			more, err = minorReleases(ctx, finder)
		default:
			if full := "go" + strings.TrimPrefix(v, "go"); version.IsValid(full) &&
				version.Compare(full, oldestGo) < 0 {
				return nil, hint.Usage("name a later one, as in --go 1.13,1.27",
					"--go %s: %s is the oldest that memcost knows",
					v, strings.Replace(oldestGo, "go", "Go ", 1))
			}
			more = []string{v}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	if len(out) == 0 {
		return nil, hint.Usage("for example --go 1.25.4,1.27.4", "--go %q names no version", list)
	}
	return distinct(out), nil
}

func publishedVersions(studies []string) ([]string, error) {
	sets, err := published.Read(published.FS)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range studies {
		for _, d := range sets {
			if d.Study == s {
				out = append(out, strings.TrimPrefix(d.Toolchain, "go"))
			}
		}
	}
	if len(out) == 0 {
		return nil, hint.Usage("name a version: --go 1.25.4",
			"--go published: nobody published figures of what is to be run")
	}
	return out, nil
}

// minorReleases returns the last patch of every minor release from the oldest on.
func minorReleases(ctx context.Context, finder *toolchain.Finder) ([]string, error) {
	all, err := finder.Versions(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for minor := 13; minor < 100; minor++ {
		if v := toolchain.LastPatch(all, fmt.Sprintf("go1.%d", minor)); v != "" {
			out = append(out, v)
		}
	}
	return out, nil
}

// distinct drops repeated names, and keeps the order.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
