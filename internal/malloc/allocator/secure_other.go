//go:build !linux

package allocator

import (
	"io/fs"
	"os"
)

// secure is for Linux.
func secure(*os.File, fs.FileInfo) string { return "" }
