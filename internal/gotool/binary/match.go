package binary

import (
	"errors"
	"fmt"

	"github.com/google/pprof/profile"

	"memcost/internal/base/hint"
)

const otherProgram = "give the binary that wrote the profile; one that was built again from other source, with other " +
	"flags or by another Go version is another program"

// Matches reports, as an error that says what differs, that a profile is not of this
// program. Where both have a build ID, these decide; then the functions and lines of the
// profile's locations are held to those that the program has at the addresses.
func (p *Program) Matches(prof *profile.Profile) error {
	if err := p.matches(prof); err != nil {
		return hint.With(otherProgram, fmt.Errorf("the profile is not of this program: %w", err))
	}
	return nil
}

func (p *Program) matches(prof *profile.Profile) error {
	if m := mainMapping(prof); m != nil && m.BuildID != "" && p.file.BuildID != "" && m.BuildID != p.file.BuildID {
		return fmt.Errorf("its build ID is %s, and that of the program is %s", m.BuildID, p.file.BuildID)
	}
	shift := p.Shift(prof)
	compared, differ := 0, 0
	var first error
	for _, l := range prof.Location {
		known, err := p.compare(l, shift)
		if known {
			compared++
		}
		if err != nil {
			differ++
			if first == nil {
				first = err
			}
		}
	}
	switch {
	case first != nil:
		return fmt.Errorf("%d of its %d locations differ, the first %w", differ, len(prof.Location), first)
	case compared == 0:
		return errors.New("none of its locations is in a function of the program")
	}
	return nil
}

// compare holds a location to the program. It knows nothing of one in a C library, in the
// kernel's code, or of one that has no names.
func (p *Program) compare(l *profile.Location, shift uint64) (known bool, err error) {
	if len(l.Line) == 0 || l.Line[0].Function == nil || l.Line[len(l.Line)-1].Function == nil {
		return false, nil
	}
	inner, outer := l.Line[0], l.Line[len(l.Line)-1].Function
	name, file, line := p.Function(l.Address - shift)
	name, want := Generic(name), Generic(outer.Name)
	if name != want && file == inner.Function.Filename && int64(line) == inner.Line {
		return true, nil // a method that the compiler made around another: profiles leave its frame out
	}
	switch {
	case name == "" && p.has(want):
		return true, fmt.Errorf("at %#x: it has %s there, and the program has no Go code", l.Address, want)
	case name == "":
		return false, nil
	case name != want:
		return true, fmt.Errorf("at %#x: it has %s there, and the program has %s", l.Address, want, name)
	case int64(line) != inner.Line:
		return true, fmt.Errorf("at %#x in %s: it has line %d there, and the program has line %d", l.Address, want,
			inner.Line, line)
	}
	return true, nil
}

func (p *Program) has(function string) bool {
	for _, name := range p.names {
		if Generic(name) == function {
			return true
		}
	}
	return false
}

// mainMapping returns the mapping of the program itself, which the runtime writes first; nil
// if there is none.
func mainMapping(prof *profile.Profile) *profile.Mapping {
	if len(prof.Mapping) == 0 {
		return nil
	}
	return prof.Mapping[0]
}

// Shift returns by how much the addresses of a profile are above those of the program: 0
// unless it is position independent (-buildmode=pie, the default on macOS and Windows).
// CallAt and Function take the address of a location less this.
func (p *Program) Shift(prof *profile.Profile) uint64 {
	m := mainMapping(prof)
	if !p.file.PIE || m == nil || m.Start == 0 {
		return 0
	}
	return m.Start - m.Offset - p.file.Base
}
