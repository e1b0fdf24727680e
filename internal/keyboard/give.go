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

// endPatience is how long a program may take to end when it is asked to.
const endPatience = 500 * time.Millisecond

// given counts the programs that have the user's terminal.
var given atomic.Int32

// holding notes that a program has the terminal, until release is called and what was
// on its way by then has come: on some systems ctrl+c goes to parley too.
func holding() (release func()) {
	const late = 200 * time.Millisecond
	given.Add(1)
	return func() { time.AfterFunc(late, func() { given.Add(-1) }) }
}

// NotifyContext is signal.NotifyContext for os.Interrupt and others, but a ctrl+c that
// comes while a program has the terminal is for that program, and dropped.
func NotifyContext(parent context.Context, others ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, others...)
	ctx, cancel := context.WithCancel(ctx)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		for {
			select {
			case <-interrupts:
				if given.Load() == 0 {
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

// Give runs a program that has the user's terminal as its streams, such as an editor,
// until it ends, or ctx does and ends it. What ctrl+c and ctrl+z do there they do to
// the program: parley is not interrupted, and is stopped with it where there is a shell
// to go on by. The error is that of starting it, or how it ended.
func Give(ctx context.Context, cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	defer holding()()
	return give(ctx, cmd)
}

// plain is Give for streams that are no terminal, or where that has no groups.
func plain(ctx context.Context, cmd *exec.Cmd) error {
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

// Run has a program work at a terminal of its own, to which the user's is lent until the
// program ends, the user ends it with ctrl+], or ctx does. The streams of cmd are the
// user's terminal; above what the program writes stands a line that says what runs and
// which key ends it. An error is a *FailedError where the program wrote something.
// Where there are no such terminals it is Give.
func Run(ctx context.Context, cmd *exec.Cmd, line string) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	defer holding()()
	return run(ctx, cmd, line)
}

// FailedError says how a program that had the terminal has failed, and with which words.
type FailedError struct {
	Err   error
	lines []string
}

func (e *FailedError) Error() string { return e.Err.Error() }
func (e *FailedError) Unwrap() error { return e.Err }

// LastLines are what it wrote last, safe to show.
func (e *FailedError) LastLines() []string { return e.lines }

var errEnded = errors.New("you ended it")
