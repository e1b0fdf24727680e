package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"parley/internal/cli"
	"parley/internal/headless"
	"parley/ui"
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
func chatInLines(cmd *cobra.Command, opts ui.Options, args []string, f chatFlags, s cli.Streams) error {
	ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	const most = 4 // signals not handled yet
	interrupts := make(chan os.Signal, most)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	opts.Input, opts.Output = s.In, s.Out
	left, err := linear.Run(ctx, linear.Options{Options: opts, Interrupts: interrupts})
	if err != nil {
		return err
	}
	if line := resumeCommand(left, args, cmp.Or(left.Agent.Dir, f.cwd)); line != "" {
		if cmd.Flags().Changed("linear") && f.linear {
			line = strings.Replace(line, "--resume", "--linear --resume", 1)
		}
		fmt.Fprintln(s.Out, line)
	}
	if ctx.Err() != nil { // a signal ended it
		return cli.ExitCode(headless.ExitInterrupted)
	}
	return nil
}
