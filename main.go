// parley is a terminal chat client for coding agents that speak the Agent
// Client Protocol.
package main

import (
	"context"
	"os"
	"syscall"

	"parley/internal/app"
	"parley/internal/cli"
	"parley/internal/keyboard"
)

func main() {
	dump := app.NewDump()
	ctx, stop := keyboard.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	code := app.Execute(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(dump.Write(os.Stderr, code))
}
