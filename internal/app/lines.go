package app

import (
	"context"
	"os"
	"os/signal"
	"strings"

	"parley/internal/cli"
	"parley/internal/workspace"
	"parley/ui/linear"
)

// accessible reports whether the value of ACCESSIBLE asks for line mode.
func accessible(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// chatInLines runs the chat without drawing a screen. The terminal keeps its mode, so ctrl+c
// arrives as a signal, and does not quit.
func chatInLines(ctx context.Context, opts workspace.FrontEnd, s cli.Streams) (workspace.ResumableSession, error) {
	const most = 4 // signals not handled yet
	interrupts := make(chan os.Signal, most)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	opts.Input, opts.Output = s.In, s.Out
	return linear.Run(ctx, linear.Options{FrontEnd: opts, Interrupts: interrupts})
}
