package machine

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
)

// wellFormed matches a machine-id: 32 lower-case hexadecimal digits, not all 0
// (machine-id(5)). An image for many machines has "uninitialized" or nothing.
var wellFormed = regexp.MustCompile(`^[0-9a-f]{32}$`)

// installation returns the machine-id, or else what the board calls itself. A host name, an
// address of a network card and a boot's ID do not last: they are not asked.
func installation(root string) (string, error) {
	if root == "" {
		root = "/"
	}
	t := tree{root: filepath.Clean(root)}
	for _, file := range []string{"etc/machine-id", "var/lib/dbus/machine-id"} {
		if id := t.get(file); wellFormed.MatchString(id) && strings.Trim(id, "0") != "" {
			return id, nil
		}
	}
	for _, file := range []string{
		"sys/class/dmi/id/product_uuid", // readable by root alone
		"proc/device-tree/serial-number",
		"sys/firmware/devicetree/base/serial-number",
	} {
		id := strings.ToLower(strings.Trim(t.get(file), "\x00 \n"))
		if strings.Trim(id, "0-f") != "" { // some boards have all zeros or all ones
			return file + " " + id, nil
		}
	}
	return "", errors.New("there is no machine-id in /etc/machine-id, and no serial number of the board")
}
