package keyboard

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"time"
)

// endPatience is how long a program may take to end after it is asked to.
const endPatience = 500 * time.Millisecond

// activePrograms counts the programs that currently have the user's terminal.
var activePrograms atomic.Int32

// holdInterrupts marks a program as having the terminal until release is called. The mark outlasts
// release by a moment, because on some systems ctrl+c is delivered to parley too, and late.
func holdInterrupts() (release func()) {
	const late = 200 * time.Millisecond
	activePrograms.Add(1)
	return func() { time.AfterFunc(late, func() { activePrograms.Add(-1) }) }
}

// NotifyContext is signal.NotifyContext for os.Interrupt and others, except that it ignores an
// interrupt that arrives while a program has the terminal: that ctrl+c was meant for the program.
func NotifyContext(parent context.Context, others ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, others...)
	ctx, cancel := context.WithCancel(ctx)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		for {
			select {
			case <-interrupts:
				if activePrograms.Load() == 0 {
					cancel()
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(interrupts)
		cancel()
		stop()
	}
}

// RunForeground runs a program, such as an editor, with the user's terminal as its streams. It returns when
// the program ends; if ctx ends first, it ends the program. ctrl+c interrupts only the program.
// ctrl+z stops parley along with it, if a shell is there to resume them. The error says why the
// program could not be started or how it ended.
func RunForeground(ctx context.Context, cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	defer holdInterrupts()()
	return give(ctx, cmd)
}

// runPlain is RunForeground for streams that are not a terminal, and for systems without process groups.
func runPlain(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	terminate(cmd.Process)
	select {
	case <-ended:
	case <-time.After(endPatience):
		cmd.Process.Kill()
	}
	return context.Cause(ctx)
}

// RunOnPTY runs a program in a separate terminal and lends it the user's terminal until the program
// ends, the user ends it with ctrl+], or ctx ends. The streams of cmd are the user's terminal. A
// heading above the output says what runs and which key ends it. RunOnPTY returns the last lines that the
// program wrote, safe to show, and how it failed. On systems without pseudo terminals it is RunForeground.
func RunOnPTY(ctx context.Context, cmd *exec.Cmd, line string) (last []string, err error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	defer holdInterrupts()()
	return run(ctx, cmd, line)
}

var errEnded = errors.New("you ended it")
