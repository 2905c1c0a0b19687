package toolchain

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// unusedFor is how long a binary stays in the cache after its last use. A run takes
// some 20 of them, of 4 MB each.
const unusedFor = 30 * 24 * time.Hour

// entry is what the cache calls its binaries and builds, and what a killed build
// left behind.
var entry = regexp.MustCompile(`^([0-9a-f]{64}|\.new-\d+)$`)

// Trim removes from the cache what was not used for 30 days before now. What cannot
// be removed stays: a cache is no reason to fail.
func (b *Builder) Trim(now time.Time) {
	dirs, _ := os.ReadDir(b.CacheDir)
	for _, d := range dirs {
		info, err := d.Info()
		if err == nil && d.IsDir() && entry.MatchString(d.Name()) && now.Sub(info.ModTime()) > unusedFor {
			os.RemoveAll(filepath.Join(b.CacheDir, d.Name()))
		}
	}
}

// used notes that an entry of the cache is of use now.
func used(file string) {
	now := time.Now()
	os.Chtimes(filepath.Dir(file), now, now)
}
