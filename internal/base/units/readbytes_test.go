package units

import "testing"

func TestReadBytes(t *testing.T) {
	for text, want := range map[string]int64{"64": 64, "64B": 64, "4KiB": 4096, "4K": 4096, "4 KiB": 4096,
		"1.5MiB": 3 << 19, "2GiB": 2 << 30, "0": 0, "1TiB": 1 << 40} {
		if got, err := ReadBytes(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "B", "KiB", "iB", "-1", "1.5", "0.1KiB", "NaN", "Inf", "1e30", "four", "4XiB",
		"4iB"} {
		if got, err := ReadBytes(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}
