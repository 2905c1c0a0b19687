package count

import "os"

// environ returns the user's environment; nil is memcost's own.
func environ(env []string) []string {
	if env == nil {
		return os.Environ()
	}
	return env
}
