package mallocprofile

import (
	"errors"
	"fmt"

	"memcost/internal/malloc/allocator"
)

// WhyNot says why a library counts nothing in a program, as their files show; "" where nothing
// speaks against it.
func WhyNot(library, program string) string {
	p, err := allocator.Read(program)
	if errors.Is(err, allocator.ErrNotELF) {
		return program + " is no program itself: what runs it is counted, if it can be"
	}
	if err != nil {
		return err.Error()
	}
	switch {
	case p.Static() && p.Pool != nil && p.Pool.Of == "Go":
		return program + " is a Go program without C code: its memory comes from Go's own allocator " +
			"(memcost why says from where)"
	case p.Static():
		return program + " is linked statically: nothing is loaded into it"
	case p.Secure != "":
		return fmt.Sprintf("%s ignores LD_PRELOAD: %s", program, p.Secure)
	case p.Malloc:
		return program + " has an allocator linked in as malloc, which comes before anything that is preloaded"
	case p.Musl():
		return program + " is linked with musl, and the library with the GNU C library"
	}
	l, err := allocator.Read(library)
	if err != nil {
		return err.Error()
	}
	return l.Fits(p)
}

// PoolOf says that a program has a pool between itself and malloc; "" where none is known.
func PoolOf(program string) string {
	p, err := allocator.Read(program)
	if err != nil || p.Pool == nil {
		return ""
	}
	says := p.Pool.Of + " has a pool of its own: malloc serves only what the pool asks for"
	if p.Pool.Advice != "" {
		says += "; " + p.Pool.Advice
	}
	return says + "."
}
