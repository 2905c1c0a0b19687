// Memcost measures what allocating and moving memory costs on this machine.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"memcost/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
