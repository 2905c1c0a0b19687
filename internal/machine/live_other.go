//go:build !linux

package machine

import "fmt"

// liveOnly refuses a captured tree: only Linux keeps its facts in files.
func liveOnly(root string) error {
	if root != "" && root != "/" {
		return fmt.Errorf("reading the machine below %s: a captured tree can be read on Linux only", root)
	}
	return nil
}

// unread notes for each of the fields why it was not read.
func (fp *Fingerprint) unread(reason string, fields ...string) {
	for _, f := range fields {
		fp.note(f, "%s", reason)
	}
}
