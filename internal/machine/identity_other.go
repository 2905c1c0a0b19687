//go:build !linux && !darwin && !windows

package machine

import "fmt"

func installation(root string) (string, error) {
	if err := liveOnly(root); err != nil {
		return "", err
	}
	return "", fmt.Errorf("%w: memcost reads none on this system", ErrNoIdentity)
}
