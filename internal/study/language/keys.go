package language

import (
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A KeyValue is one key=value part of a benchmark's name.
type KeyValue struct{ Key, Value string }

// KeyValues are a name's keys in the order of the name.
type KeyValues []KeyValue

// Keys returns the key=value parts of a benchmark's name; the "-N" at its end counts
// as gomaxprocs, last, and replaces a /gomaxprocs= in the name, as in benchproc.
// Parts without "=" have no key and are left out.
func Keys(name benchfmt.Name) KeyValues {
	_, parts := name.Parts()
	kvs := make(KeyValues, 0, len(parts))
	for _, p := range parts {
		if n, ok := strings.CutPrefix(string(p), "-"); ok {
			kvs = append(kvs.without("gomaxprocs"), KeyValue{"gomaxprocs", n})
			continue
		}
		if k, v, ok := strings.Cut(string(p[1:]), "="); ok {
			kvs = append(kvs, KeyValue{k, v})
		}
	}
	return kvs
}

// Get returns a key's value, the first where a name repeats it. Its type is that of
// Cond.Range's argument.
func (kvs KeyValues) Get(key string) (string, bool) {
	for _, kv := range kvs {
		if kv.Key == key {
			return kv.Value, true
		}
	}
	return "", false
}

func (kvs KeyValues) without(key string) KeyValues {
	kept := kvs[:0]
	for _, kv := range kvs {
		if kv.Key != key {
			kept = append(kept, kv)
		}
	}
	return kept
}
