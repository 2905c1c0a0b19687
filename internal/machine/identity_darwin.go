package machine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// installation returns the hardware's UUID, which ioreg shows as IOPlatformUUID: sysctl has
// it as kern.uuid.
func installation(root string) (string, error) {
	if err := liveOnly(root); err != nil {
		return "", err
	}
	id, err := unix.Sysctl("kern.uuid")
	if err != nil || id == "" {
		return "", fmt.Errorf("sysctl kern.uuid: %v", err)
	}
	return id, nil
}
