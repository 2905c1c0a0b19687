package source

import (
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/hint"
)

// Arguments tells the sides among the arguments of memcost compare from the packages; isStudy
// knows the names of the shipped studies.
//
// The first two are sides, unless the second one is a package, and the others where they do
// not look like packages. A side that stands alone is compared with the files as they lie: a
// revision or a toolchain is the old side then, and settings are the new one.
func Arguments(args []string, isStudy func(string) bool) (sides []Side, packages []string, err error) {
	for i, arg := range args {
		named := IsPackage(arg) && (arg != WorkTree || i > 1) || i > 0 && isStudy(arg)
		switch {
		case i == 0 && named:
			return nil, nil, hint.Usage("name the sides first: memcost compare HEAD~1 . "+arg,
				"%s is a package, and stands where the old side is named", arg)
		case named:
			packages = append(packages, arg)
		default:
			s, err := Parse(arg)
			if err != nil {
				return nil, nil, err
			}
			sides = append(sides, s)
		}
	}
	switch {
	case len(sides) == 0:
		return nil, nil, hint.Usage("memcost compare HEAD~1 . compares the last commit but one with the files as "+
			"they lie", "there is nothing to compare: name two sides")
	case len(sides) > 1:
		return sides, packages, nil
	}
	here := Side{}
	switch s := sides[0]; {
	case !s.AtRevision() && s.Go == "" && len(s.Flags)+len(s.Env) == 0:
		return nil, nil, hint.Usage("memcost compare HEAD . says what the changes do that are not committed",
			"the work tree alone is one side: name another")
	case s.AtRevision() || s.Go != "":
		return []Side{s, here}, packages, nil
	default:
		return []Side{here, s}, packages, nil
	}
}

// Shield returns the arguments of a command line with a space before each that is a build flag
// (-gcflags=-l), or is probably meant for one, so that it is a side, and no flag of the
// command. What stands behind -- stays.
func Shield(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "--" {
			break
		}
		name, dashed := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if dashed && len(name) > 2 && name[0] != '-' && (slices.Contains(flags, name) ||
			hint.Nearest(name, flags) != "") {
			out[i] = " " + arg
		}
	}
	return out
}

// Names returns the names of sides, each of them once: a side that comes again, which shows
// the noise, has a number.
func Names(sides []Side) []string {
	var names []string
	for _, s := range sides {
		name := s.Name()
		for i := 2; slices.Contains(names, name); i++ {
			name = fmt.Sprintf("%s (%d)", s.Name(), i)
		}
		names = append(names, name)
	}
	return names
}
