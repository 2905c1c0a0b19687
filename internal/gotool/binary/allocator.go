package binary

import "strings"

// An allocator is a function of the runtime, or several whose names begin alike, that
// allocates on behalf of its caller.
type allocator struct {
	name    string // with its package; a "*" at the end stands for anything
	does    string
	certain bool // each call allocates, unless for 0 bytes
}

// allocators are what compiled code calls (cmd/compile/internal/typecheck/_builtin/runtime.go
// of Go 1.13 to 1.27, and the calls that cmd/compile/internal/ssagen makes besides), what cgo
// calls, and what other packages of the standard library call by go:linkname. The first that
// fits counts. Those that are not certain keep short strings and small values in a buffer or
// in the runtime's own tables, have room left, or reuse what was freed.
var allocators = []allocator{
	{"runtime.newobject", "makes an object", true},
	{"runtime.newarray", "makes an array", true},
	{"runtime.mallocgc*", "makes an object", true}, // with its variants by size from Go 1.26 on
	{"runtime.makeslicecopy", "makes a slice and copies into it", true},
	{"runtime.makeslice*", "makes a slice", true},
	{"runtime.growslice*", "grows a slice", false},
	{"runtime.moveSlice*", "copies a slice to the heap", false},
	{"runtime.makechan*", "makes a channel", true},
	{"runtime.makemap_small", "makes a map", true},
	{"runtime.makemap*", "makes a map", false}, // small ones may be on the stack
	{"runtime.mapassign*", "stores into a map", false},
	{"runtime.mapclone*", "copies a map", true},
	{"runtime.mapiterinit", "begins to range over a map", false}, // until Go 1.23
	{"runtime.convTnoptr", "puts a value into an interface", true},
	{"runtime.convT2*", "puts a value into an interface", true}, // until Go 1.14
	{"runtime.convT", "puts a value into an interface", true},
	{"runtime.convT*", "puts a value into an interface", false}, // not of small numbers, "" and nil
	{"runtime.concatstring*", "joins strings", false},
	{"runtime.concatbyte*", "joins strings into bytes", false},
	{"runtime.slicebytetostringtmp", "", false},
	{"runtime.slicebytetostring", "makes a string of bytes", false},
	{"runtime.stringtoslicebyte", "makes bytes of a string", false},
	{"runtime.stringtoslicerune", "makes runes of a string", false},
	{"runtime.slicerunetostring", "makes a string of runes", false},
	{"runtime.intstring", "makes a string of a rune", false},
	{"runtime.gostring*", "makes a string of C memory", false},
	{"runtime.gobytes", "makes bytes of C memory", false},
	{"runtime.newproc", "starts a goroutine", false},
	{"runtime.deferprocStack", "", false},
	{"runtime.deferproc*", "records a deferred call", false},
	{"runtime.deferrangefunc", "records deferred calls of a range", false},
	{"reflect.unsafe_NewArray", "makes an array", true},
	{"reflect.unsafe_New", "makes an object", true},
	{"internal/reflectlite.unsafe_New", "makes an object", true},
	{"reflect.growslice", "grows a slice", false},
	{"reflect.makechan", "makes a channel", true},
	{"reflect.makemap", "makes a map", true},
	{"reflect.mapassign*", "stores into a map", false},
	{"reflect.mapclone", "copies a map", true},
	{"maps.clone", "copies a map", true},
	{"internal/bytealg.MakeNoZero", "makes a slice", true},
	{"strings.makeNoZero", "makes a slice", true},
	{"internal/runtime/maps.newobject", "makes an object", true},
	{"internal/runtime/maps.newarray", "makes an array", true},
	{"internal/runtime/maps.NewEmptyMap", "makes a map", true},
	{"internal/runtime/maps.NewMap", "makes a map", false},
	{"time.newTimer", "makes a timer", true},
}

func (a allocator) is(name string) bool {
	prefix, open := strings.CutSuffix(a.name, "*")
	return open && strings.HasPrefix(name, prefix) || a.name == name
}

// find returns the allocator of that name, nil if it is none.
func find(name string) *allocator {
	for i := range allocators {
		if allocators[i].is(name) {
			if allocators[i].does == "" {
				return nil
			}
			return &allocators[i]
		}
	}
	return nil
}

// Does says in plain words what a call of a function of the runtime does: "makes an object".
// Of a function that is not known to allocate it says that it is called.
func Does(target string) string {
	if a := find(target); a != nil {
		return a.does
	}
	return "calls " + target
}

// Certain reports whether the function allocates each time that it is called, unless for 0
// bytes.
func Certain(target string) bool {
	a := find(target)
	return a != nil && a.certain
}
