package join

import "testing"

// Objects with pointers share no block, whatever their size; those of whose pointers nothing is known may.
func TestMayBeTiny(t *testing.T) {
	for target, want := range map[string]bool{"runtime.newobject": true, "runtime.convTnoptr": true, "runtime.convT64": true,
		"runtime.convT": false, "runtime.convTstring": false, "runtime.convTslice": false, "runtime.mallocgcSmallScanNoHeader": false} {
		if mayBeTiny(target) != want {
			t.Errorf("%s: %v", target, !want)
		}
	}
}

// The bytes that exact counting adds are taken from the sites with small objects, and from no other.
func TestTakeBack(t *testing.T) {
	small := &gathered{tallies: map[int]*tally{0: {objects: 300, bytes: 4800, tiny: 300}}}
	mixed := &gathered{tallies: map[int]*tally{0: {objects: 200, bytes: 8000, tiny: 100}}}
	large := &gathered{tallies: map[int]*tally{0: {objects: 10, bytes: 640}}}
	c := &counting{analysis: &analysis{sites: map[place]*gathered{{diag: 1}: small, {diag: 2}: mixed, {diag: 3}: large}}}
	c.all = tally{objects: 510, bytes: 13440, tiny: 400}
	c.takeBack(3200)
	if a, b, d := small.tallies[0].bytes, mixed.tallies[0].bytes, large.tallies[0].bytes; a != 2400 || b != 7200 || d != 640 ||
		c.all.bytes != 10240 {
		t.Errorf("%v, %v and %v of %v bytes", a, b, d, c.all.bytes)
	}
}
