package proc

import "os"

// launcherVar and launcherArg, both together, make the program a launcher.
const (
	launcherVar = "MEMCOST_LAUNCHER"
	launcherArg = "(launches what memcost measures)"
)

// LauncherMain is called first in main, and in TestMain of a package whose tests start a
// Launcher. It reports whether this process is one; it then returns when its parent has closed
// it or ended, with the exit status that the program ends with.
func LauncherMain() (status int, is bool) {
	if os.Getenv(launcherVar) == "" || len(os.Args) != 2 || os.Args[1] != launcherArg {
		return 0, false
	}
	return serve(), true
}
