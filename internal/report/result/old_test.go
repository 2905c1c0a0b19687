package result

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
	"memcost/internal/testkit"
)

// Run folders that version 0.1.0 wrote, at a time when tables stood in directives and the
// real-time verdict in run.json, give the figures and verdicts that it gave: answer.json.gz is
// what its report --json --published none printed. Words may change, intervals are those of
// today's method, as are figures of its last look, and what it decided may be undecided now, but not the opposite. Of its
// disturbances nothing is left in samples.txt: which rounds they exclude has changed.
func TestOldRunFolders(t *testing.T) {
	for _, name := range []string{"samples", "records"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", "old", name)
			ans, err := Read(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal([]*Answer{ans})
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			old := oldAnswer(t, dir)
			undecide(old, got)
			figures := sameFigures(t, "", old, got)
			if figures < 250 {
				t.Errorf("only %d figures were compared", figures)
			}
		})
	}
}

// undecide takes from an old answer the verdicts that are undecided now.
func undecide(old, got any) {
	switch old := old.(type) {
	case map[string]any:
		now, _ := got.(map[string]any)
		if now["status"] == claim.Undecided {
			delete(old, "status")
		}
		for key, x := range old {
			undecide(x, now[key])
		}
	case []any:
		now, _ := got.([]any)
		for i := range min(len(old), len(now)) {
			undecide(old[i], now[i])
		}
	}
}

// atLook reports whether a figure that was of all rounds is of those of the last look now.
func atLook(old, now map[string]any) bool {
	before, had := old["rounds"].(float64)
	rounds, has := now["rounds"].(float64)
	return had && has && int(rounds) == stat.Looks{}.At(int(before)) && rounds < before
}

// ordered demands that a figure lies in its interval, where it has one.
func ordered(t *testing.T, path string, figure map[string]any) int {
	t.Helper()
	lo, low := figure["lo"].(float64)
	hi, high := figure["hi"].(float64)
	v, known := figure["value"].(float64)
	if known && (low && lo > v || high && hi < v) {
		t.Errorf("%s: %v is outside [%v, %v]", path, v, lo, hi)
	}
	return 1
}

func oldAnswer(t *testing.T, dir string) (old any) {
	t.Helper()
	if err := json.Unmarshal(testkit.Captured(t, filepath.Join(dir, "answer.json.gz")), &old); err != nil {
		t.Fatal(err)
	}
	return old
}

// sameFigures compares every number, and every verdict, that an old answer has with the new
// one, and counts them.
func sameFigures(t *testing.T, path string, old, got any) (n int) {
	t.Helper()
	switch old := old.(type) {
	case map[string]any:
		now, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: an object has become %v", path, got)
			return n
		}
		for key, x := range old {
			if key == "lo" || key == "hi" {
				n += ordered(t, path, now)
				continue
			}
			if atLook(old, now) && (key == "rounds" || key == "value") {
				v, w := x.(float64), now[key].(float64)
				if n++; w > 1.2*v || w < v/1.2 {
					t.Errorf("%s/%s: %v at the last look, and it was %v", path, key, w, v)
				}
				continue
			}
			if x == "untested" { // its word at that time
				x = claim.Untested
			}
			if text, ok := x.(string); ok && (key != "status" || text != now[key]) {
				if key == "status" {
					t.Errorf("%s/%s: %q, and it was %q", path, key, now[key], text)
				}
				continue
			}
			n += sameFigures(t, path+"/"+key, x, now[key])
		}
	case []any:
		now, _ := got.([]any)
		if len(now) != len(old) {
			t.Errorf("%s: %d elements, and there were %d", path, len(now), len(old))
			return n
		}
		for i, x := range old {
			n += sameFigures(t, fmt.Sprintf("%s/%d", path, i), x, now[i])
		}
	case string:
	default: // a number, true, false or null
		n++
		if old != got {
			t.Errorf("%s: %v, and it was %v", path, got, old)
		}
	}
	return n
}
