package machine

import "testing"

// Boards of one kind have equal names at times, and a container has another name each time: neither
// says which machine it is.
func TestPlaces(t *testing.T) {
	at := func(files map[string]string, change func(*Fingerprint)) Place {
		root := board(t, files)
		fp, err := ReadFingerprint(root)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(&fp)
		}
		p, err := PlaceOf(root, fp)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := at(map[string]string{"etc/machine-id": someID, "proc/sys/kernel/hostname": "board"}, nil)
	if other := at(map[string]string{"etc/machine-id": otherID, "proc/sys/kernel/hostname": "board"}, nil); other.ID ==
		first.ID || other.Kind != first.Kind {
		t.Errorf("two boards of one name: %v and %v", first, other)
	}
	if renamed := at(map[string]string{"etc/machine-id": someID, "proc/sys/kernel/hostname": "other"},
		nil); renamed != first {
		t.Errorf("renamed, %v is %v", first, renamed)
	}
	for what, change := range map[string]func(*Fingerprint){
		"processor": func(f *Fingerprint) { f.CPUModel = "another" },
		"memory":    func(f *Fingerprint) { f.MemoryBytes *= 2 },
		"quota":     func(f *Fingerprint) { f.GOMAXPROCS++ },
	} {
		if x := at(map[string]string{"etc/machine-id": someID}, change); x.Kind == first.Kind {
			t.Errorf("with another %s it is of the same kind", what)
		}
	}
}
