package remedy

// pairs names, for each key of a cause, the pair of the study escape ("cause:…") that measures
// its usual fix. A cause that is not listed has no fix of that kind, or none is measured:
// panic, timer, cgo, pool-refill, wrapper, and moved-slice, whose copy is part of append's
// growth.
var pairs = map[string]string{
	"returned-pointer": "returned-pointer",
	"boxing":           "boxing",
	"fmt":              "fmt",
	"closure":          "closure",
	"go-statement":     "go-statement",
	"defer-loop":       "defer-loop",
	"store":            "store",
	"map-put":          "map-value",
	"channel-send":     "channel-send",
	"indirect-call":    "interface-call",
	"reflect":          "reflect",
	"unsafe":           "unsafe",
	"method-value":     "method-value",
	"too-large":        "too-large",
	"variable-make":    "variable-make",
	"append-growth":    "append-growth",
	"slice-literal":    "slice-literal",
	"map-literal":      "map-literal",
	"text-conversion":  "string-of-bytes",
	"concat":           "concat",
	"outlives-loop":    "outlives-loop",
	"leaking-param":    "leaking-param",
	// those that only the runtime knows
	"map-growth":   "map-growth",
	"make-chan":    "make-chan",
	"goroutine":    "go-statement",
	"defer-record": "defer-loop",
}
