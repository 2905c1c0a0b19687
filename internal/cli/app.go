package cli

import (
	"fmt"
	"io"

	"memcost/internal/measure/session"
)

// An App is what every command needs: how it was called, what it reads, and where it writes.
type App struct {
	Version        string
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Origin says who begins a run.
func (a *App) Origin() session.Origin {
	return session.Origin{Version: a.Version, Command: append([]string{"memcost"}, a.Args...)}
}

// Lines prints what a search would do.
func (a *App) Lines(lines []string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(a.Stdout, l); err != nil {
			return err
		}
	}
	return nil
}
