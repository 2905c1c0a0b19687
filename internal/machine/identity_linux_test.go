package machine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// board is a captured machine with further files.
func board(t *testing.T, files map[string]string) string {
	t.Helper()
	root := captured(t, "testdata/pi4.txtar")
	for _, name := range []string{"etc/machine-id", "proc/device-tree/serial-number"} {
		os.Remove(filepath.Join(root, name))
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	someID  = "0123456789abcdef0123456789abcdef"
	otherID = "fedcba9876543210fedcba9876543210"
)

func identify(t *testing.T, root string) Identity {
	t.Helper()
	i, err := Identify(root)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestIdentity(t *testing.T) {
	first := identify(t, board(t, map[string]string{"etc/machine-id": someID + "\n"}))
	if len(first.ID) != 32 || strings.Contains(first.ID, someID[:8]) || first.CPUModel == "" {
		t.Errorf("identity %+v", first)
	}
	renamed := board(t, map[string]string{"etc/machine-id": someID, "proc/sys/kernel/hostname": "another-name",
		"proc/sys/kernel/random/boot_id": "00000000-0000-0000-0000-000000000001"})
	if i := identify(t, renamed); i != first {
		t.Errorf("after a new name and a restart: %+v, before: %+v", i, first)
	}
	if i := identify(t, board(t, map[string]string{"etc/machine-id": otherID})); i.ID == first.ID {
		t.Error("two boards of one kind share an identity")
	}
	bus := board(t, map[string]string{"etc/machine-id": "uninitialized\n", "var/lib/dbus/machine-id": someID + "\n"})
	if i := identify(t, bus); i.ID != first.ID {
		t.Error("the machine-id of D-Bus is another identity")
	}
	serial := identify(t, board(t, map[string]string{"proc/device-tree/serial-number": "10000000abcdef01\x00"}))
	if serial.ID == first.ID || len(serial.ID) != 32 {
		t.Errorf("a serial number gives %+v", serial)
	}
}

// Without anything that lasts there is no identity: no name, no address, no boot's ID.
func TestNoIdentity(t *testing.T) {
	for _, id := range []string{"", "uninitialized\n", strings.Repeat("0", 32), "short", strings.ToUpper(someID)} {
		_, err := Identify(board(t, map[string]string{"etc/machine-id": id,
			"sys/class/dmi/id/product_uuid": "00000000-0000-0000-0000-000000000000\n"}))
		if !errors.Is(err, ErrNoIdentity) {
			t.Errorf("machine-id %q: %v", id, err)
		}
	}
}
