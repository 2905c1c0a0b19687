package proc

import (
	"io"
	"os"
	"os/exec"
	"time"
)

// Cmd is one process to run.
type Cmd struct {
	Path    string        // program; a name without a slash is looked up in memcost's own PATH
	Args    []string      // arguments, without the program's name
	Dir     string        // working directory; "" is memcost's own
	Env     []string      // complete environment; nil is memcost's own
	Timeout time.Duration // the group is stopped after this; 0 is never
	Limit   int           // bytes kept of each stream, first half and last half; 0 is DefaultLimit

	Stdin io.Reader  // nil is empty; a file is handed over itself
	Files []*os.File // become its files 3, 4 …; not on Windows

	// ReadStdout and ReadStderr are given a stream to read while the process
	// runs, which waits for a slow reader. What they leave is dropped. The stream
	// ends with the group; Run returns after they did. nil keeps it in the Result.
	ReadStdout, ReadStderr func(io.Reader)

	// Grace is the time between the signals that end the process group: SIGINT first,
	// SIGTERM after Grace, SIGKILL after Grace once more. With 0 the group is killed at
	// once.
	Grace    time.Duration
	Stopping func() // called before the process is stopped; it is waited for

	tune func(*exec.Cmd) // changes how it is started; nil changes nothing
}
