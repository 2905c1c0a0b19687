package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// OpenPage shows a page in the user's browser.
func OpenPage(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("opening the report: %w", err)
	}
	c := proc.Cmd{Path: "xdg-open", Args: []string{abs}}
	switch runtime.GOOS {
	case "darwin":
		c.Path = "open"
	case "windows":
		c.Path, c.Args = "rundll32", []string{"url.dll,FileProtocolHandler", abs}
	}
	if _, err := proc.LookPath(c.Path, os.Environ()); err != nil {
		return hint.With("open it yourself: "+abs, errors.New("opening the report (--open): this machine has no "+
			c.Path))
	}
	if err := new(proc.Runner).Detach(c); err != nil {
		return hint.With("open it yourself: "+abs, fmt.Errorf("opening the report (--open): %w", err))
	}
	return nil
}
