// Memcost measures what allocating and moving memory costs on this machine.
package main

import (
	"context"
	"os"

	"memcost/internal/base/proc"
	"memcost/internal/cli"
	"memcost/internal/measure/sample"
)

func main() { os.Exit(run()) }

func run() int {
	if status, is := proc.LauncherMain(); is {
		return status
	}
	if status, is := sample.Main(); is {
		return status
	}
	ctx, stop := cli.Interrupted(context.Background())
	defer stop()
	return cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
