package session

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
)

// runnable reports whether a file is one that the system runs.
func runnable(info fs.FileInfo) bool {
	if runtime.GOOS == "windows" {
		return info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(info.Name()), ".exe")
	}
	return info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
