//go:build !linux && !darwin && !windows

package machine

import "errors"

func installation(root string) (string, error) {
	if err := liveOnly(root); err != nil {
		return "", err
	}
	return "", errors.New("memcost reads none on this system")
}
