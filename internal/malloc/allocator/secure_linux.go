package allocator

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// secure returns why the kernel sets AT_SECURE for a program that this user starts, so that the
// loader ignores LD_PRELOAD; "" where it does not. See getauxval(3) and ld.so(8).
func secure(f *os.File, info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		switch {
		case info.Mode()&fs.ModeSetuid != 0 && int(st.Uid) != os.Geteuid():
			return "it is setuid"
		case info.Mode()&fs.ModeSetgid != 0 && int(st.Gid) != os.Getegid():
			return "it is setgid"
		}
	}
	if n, err := unix.Fgetxattr(int(f.Fd()), "security.capability", nil); err == nil && n > 0 && os.Geteuid() != 0 {
		return "it has capabilities"
	}
	return ""
}
