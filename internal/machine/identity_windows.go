package machine

import (
	"fmt"

	"golang.org/x/sys/windows/registry"
)

// installation returns the registry's MachineGuid, which Windows makes when it is installed.
func installation(root string) (string, error) {
	if err := liveOnly(root); err != nil {
		return "", err
	}
	const key = `SOFTWARE\Microsoft\Cryptography`
	// A 32-bit program would else be shown another part of the registry.
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err == nil {
		defer k.Close()
		var id string
		if id, _, err = k.GetStringValue("MachineGuid"); err == nil && id != "" {
			return id, nil
		}
	}
	return "", fmt.Errorf(`HKEY_LOCAL_MACHINE\%s MachineGuid: %v`, key, err)
}
