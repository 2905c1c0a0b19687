package join

import (
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
)

// The causes that only the runtime knows: the compiler prints nothing of them.
var (
	mapGrowth = cause("map-growth", "a map needs room for what is stored into it",
		"make it with the size that it will have, or keep one and clear it")
	channelMade = cause("make-chan", "a channel is made", "make it once and keep it")
	goroutine   = cause("goroutine", "a goroutine is started", "keep goroutines that wait for work")
	deferRecord = cause("defer-record", "a deferred call is recorded on the heap",
		"move the loop's body into a function of its own")
	movedSlice = cause("moved-slice", "what append put on the stack is copied to the heap, because it is returned",
		"make it with the capacity that measurements show, or fill the caller's buffer")
	timerMade = cause("timer", "a timer is made", "keep one and reset it")
	cMemory   = cause("cgo", "C memory is copied", "read it where it lies (unsafe.Slice) while C keeps it")
	poolEmpty = cause("pool-refill", "a pool was empty",
		"none needed where it happens seldom: the collector empties pools")
	bufferGrowth = cause("buffer-growth", "a buffer grows as it is written to",
		"give it its size first (Grow), or keep it for reuse")
	syncMap = cause("sync-map", "a concurrent map makes an entry", "use a map with a lock where few goroutines write")
	system  = cause("system", "the operating system is called",
		"keep files and connections open, and read in larger pieces")
	internals = cause("runtime", "the runtime allocates for its own work", "")
	wrapper   = cause("wrapper", "code that the compiler made stores the value", "call the method on the concrete type")
)

func cause(key, words, fix string) sites.Cause { return sites.Cause{Key: key, Words: words, Fix: fix} }

func compilerCause(c escape.Cause) sites.Cause {
	if c == escape.Uncategorised {
		return sites.Cause{Key: "", Words: c.Words(), Fix: c.Fix()}
	}
	return sites.Cause{Key: c.String(), Words: c.Words(), Fix: c.Fix()}
}

// A named reason is why the compiler prints nothing of a call of the runtime.
type named struct {
	prefix string // of the runtime's function
	cause  sites.Cause
	says   string
}

// reasons are looked through in order.
var reasons = []named{
	{"runtime.mapassign", mapGrowth, "the compiler says nothing of maps that grow"},
	{"internal/runtime/maps.", mapGrowth, "the compiler says nothing of maps that grow"},
	{"runtime.makemap", mapGrowth, "the map does not escape, and has more entries than fit into a stack frame"},
	{"runtime.mapclone", mapGrowth, "the compiler says nothing of copies of maps"},
	{"maps.clone", mapGrowth, "the compiler says nothing of copies of maps"},
	{"runtime.makechan", channelMade, "the compiler says nothing of channels"},
	{"runtime.newproc", goroutine, "the compiler says nothing of goroutines"},
	{"runtime.deferproc", deferRecord, "the compiler says nothing of records of deferred calls"},
	{"runtime.deferrangefunc", deferRecord, "the compiler says nothing of records of deferred calls"},
	{"runtime.moveSlice", movedSlice, "the compiler speaks of the append, and the copy is made where it is returned"},
	{"runtime.growslice", compilerCause(escape.AppendGrowth), "whether append has room is known only at run time"},
	{"reflect.growslice", compilerCause(escape.Reflection), "reflection decides at run time"},
	{"runtime.concat", compilerCause(escape.Concatenation),
		"a string is made anew unless it is short and does not escape"},
	{"runtime.slicebytetostring", compilerCause(escape.TextConversion),
		"short texts that do not escape are kept in a buffer, longer ones are not"},
	{"runtime.stringtoslice", compilerCause(escape.TextConversion),
		"short texts that do not escape are kept in a buffer, longer ones are not"},
	{"runtime.slicerunetostring", compilerCause(escape.TextConversion),
		"short texts that do not escape are kept in a buffer, longer ones are not"},
	{"runtime.intstring", compilerCause(escape.TextConversion), "a string is made of a rune"},
	{"runtime.makeslice", compilerCause(escape.VariableMake), "its size is known only at run time"},
	{"runtime.convT", compilerCause(escape.Boxing),
		"the value is put into an interface by code that the compiler made"},
	{"runtime.gostring", cMemory, "the compiler says nothing of calls of C"},
	{"runtime.gobytes", cMemory, "the compiler says nothing of calls of C"},
	{"time.newTimer", timerMade, "the compiler says nothing of timers"},
	{"reflect.", compilerCause(escape.Reflection), "reflection decides at run time"},
	{"internal/reflectlite.", compilerCause(escape.Reflection), "reflection decides at run time"},
	{"internal/bytealg.MakeNoZero", compilerCause(escape.VariableMake), "its size is known only at run time"},
	{"strings.makeNoZero", compilerCause(escape.VariableMake), "its size is known only at run time"},
}

// namedReason returns why the compiler says nothing of a call, if that is known. Functions that
// the compiler made have no source.
func namedReason(target, function, file string) (sites.Cause, string) {
	for _, r := range reasons {
		if strings.HasPrefix(target, r.prefix) {
			return r.cause, r.says
		}
	}
	if strings.HasPrefix(file, "<autogenerated>") || strings.HasSuffix(function, "-fm") {
		return wrapper, "the function has no source: the compiler made it"
	}
	if strings.HasPrefix(function, "type:.") || strings.HasPrefix(function, "type..") {
		return wrapper, "the function has no source: the compiler made it"
	}
	if pkg, _ := split(target); target != "runtime.newobject" && !strings.HasPrefix(target, "runtime.mallocgc") &&
		target != "runtime.newarray" && (runtimes(target) || pkg == "sync" || pkg == "internal/sync") {
		return internals, "the runtime allocates in " + target
	}
	return sites.Cause{}, ""
}

// An owner is a part of the standard library on whose behalf others allocate, and for which the
// one who calls it has a remedy of his own, whatever the compiler says further inside.
type owner struct {
	functions []string // beginnings of their names
	cause     sites.Cause
	says      string
}

var owners = []owner{
	{[]string{"fmt.", "log."}, compilerCause(escape.FormatArgument), "formatting decides at run time what it needs"},
	{[]string{"sync.(*Pool)."}, poolEmpty, "the compiler does not know when a pool is empty"},
	{[]string{"sync.(*Map).", "internal/sync."}, syncMap, "the map decides at run time"},
	{[]string{"bytes.(*Buffer).", "bytes.growSlice", "strings.(*Builder).", "internal/bytealg.MakeNoZero"},
		bufferGrowth, "whether a buffer has room is known only at run time"},
	{[]string{"reflect.", "internal/reflectlite."}, compilerCause(escape.Reflection), "reflection decides at run time"},
	{[]string{"time.NewTimer", "time.NewTicker", "time.AfterFunc", "time.After", "time.newTimer"}, timerMade,
		"the compiler says nothing of timers"},
	{calling, system, "it depends on what the operating system answers"},
}

// calling are the beginnings of the names of functions that call the operating system. Packages os and
// net have others, too, which only compute: net.IP.String, os.Expand.
var calling = []string{"syscall.", "internal/poll.", "internal/syscall/", "os.(*File).", "os.(*Process).", "os.(*Root).",
	"os.Open", "os.Create", "os.Read", "os.Write", "os.Stat", "os.Lstat", "os.Mkdir", "os.Remove", "os.Rename", "os.Start",
	"os.Pipe", "os.newFile", "os.NewFile", "os.Environ", "os.Getwd", "os/exec.(*Cmd).", "net.(*netFD).", "net.(*conn).",
	"net.(*Dialer).", "net.(*sysDialer).", "net.(*ListenConfig).", "net.(*sysListener).", "net.(*Resolver).",
	"net.(*TCPConn).", "net.(*TCPListener).", "net.(*UDPConn).", "net.(*UnixConn).", "net.(*UnixListener).", "net.(*IPConn).",
	"net.Dial", "net.Listen", "net.Lookup", "net.Interface", "net.newFD", "net.socket", "net.internetSocket"}

// seldom are the causes of what allocates in some calls only, whatever the compiler says of the line
// that is reached then.
var seldom = map[string]bool{poolEmpty.Key: true, syncMap.Key: true, bufferGrowth.Key: true, system.Key: true}

// ownerOf returns the owner of a function, nil if it has none.
func ownerOf(function string) *owner {
	for i := range owners {
		if beginsWith(function, owners[i].functions) {
			return &owners[i]
		}
	}
	return nil
}

// through returns which function of some frames has an owner, the outermost first; "" if there
// is none. What a pool makes for itself is no matter of the function that asks it.
func through(lines []line) string {
	if len(lines) > 0 && strings.HasPrefix(lines[0].fn, "sync.(*Pool).") {
		return lines[0].fn
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if ownerOf(lines[i].fn) != nil {
			return lines[i].fn
		}
	}
	return ""
}

// leafReason names what allocates in a function of another package of which no diagnostic is
// at hand.
func leafReason(function string) (sites.Cause, string) {
	if o := ownerOf(function); o != nil {
		return o.cause, o.says
	}
	return sites.Cause{}, ""
}

// adviseRuntime are the causes of the runtime whose usual fix holds wherever they are the user's own.
var adviseRuntime = map[string]bool{mapGrowth.Key: true, goroutine.Key: true, deferRecord.Key: true, movedSlice.Key: true,
	timerMade.Key: true, cMemory.Key: true, wrapper.Key: true, escape.AppendGrowth.String(): true}

// adviceOutside returns what the caller of a function outside can do about what it allocates: what the
// compiler says inside is for its author. owned is whether the cause is that of an owner.
func adviceOutside(c *sites.Callee, owned bool) string {
	if !owned {
		return ""
	}
	switch c.Cause.Key {
	case escape.FormatArgument.String():
		return escape.FormatAdvice(sites.Short(c.Via))
	case escape.Reflection.String():
		if pkg, _ := split(c.Via); pkg == "reflect" { // what calls it handles any type
			return ""
		}
	}
	return c.Cause.Fix
}

// leastOfSizes is the share of its objects from which a size of a site counts.
const leastOfSizes = 0.05

// advise holds the advice against what was measured: a block that is made once and never grows gains
// nothing by a larger one, and where one does, its sizes are said.
func (g *gathered) advise() {
	s := &g.site
	if s.Advice == "" || len(s.Sizes) == 0 {
		return
	}
	least, most := int64(0), int64(0)
	for _, c := range s.Sizes {
		if c.Objects < leastOfSizes {
			continue
		}
		if least == 0 || c.Bytes < least {
			least = c.Bytes
		}
		most = max(most, c.Bytes)
	}
	measured := units.Bytes(least)
	if least < most {
		measured += " to " + units.Bytes(most)
	}
	switch s.Cause.Key {
	case mapGrowth.Key, escape.AppendGrowth.String(), movedSlice.Key, bufferGrowth.Key:
		if least == most { // of a map, the group of the first 8 entries, which a size given first has, too
			s.Advice = ""
			return
		}
		s.Advice += " (here blocks of " + measured + " were made)"
	case escape.VariableMake.String():
		s.Advice += " (here " + measured + ")"
	}
}
