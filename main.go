// parley is a terminal chat client for coding agents that speak the Agent
// Client Protocol.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"parley/internal/app"
	"parley/internal/cli"
)

func main() {
	dump := app.NewDump()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	code := app.Execute(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(dump.Write(os.Stderr, code))
}
