package result

import (
	"bytes"
	"os"
	"testing"
)

// Each kind of recording is read from its file, and what is no recording is refused.
func TestRecordingKinds(t *testing.T) {
	for word, kind := range recordingKinds {
		var r Recording
		if err := kind.read(bytes.NewReader([]byte("ten bytes.")), &r); err == nil || r.Trace != nil ||
			r.Profile != nil {
			t.Errorf("%s: ten bytes are read: %v", word, err)
		}
	}
	in, err := os.Open("../../gotool/profile/testdata/go1.27.4-pointer.prof")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var r Recording
	if err := recordingKinds["cpuprofile"].read(in, &r); err != nil || r.Profile == nil || r.Trace != nil {
		t.Errorf("%v %+v", err, r)
	}
}
