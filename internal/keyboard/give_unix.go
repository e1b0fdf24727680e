//go:build unix

package keyboard

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// give makes the program the foreground process group of the terminal, where that is
// parley's own and parley is in front.
func give(ctx context.Context, cmd *exec.Cmd) error {
	tty, ok := cmd.Stdin.(*os.File)
	_, out := cmd.Stdout.(*os.File)
	_, errs := cmd.Stderr.(*os.File)
	if !ok || !out || !errs {
		return plain(ctx, cmd)
	}
	fd, own := int(tty.Fd()), unix.Getpgrp()
	if front, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || front != own {
		return plain(ctx, cmd)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: fd}
	err := cmd.Start() // it may have taken the terminal before it failed
	// From here parley is in the background, where the terminal would stop it for taking
	// the foreground back. Not earlier: the program would inherit that.
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	defer front(fd, own)
	if err != nil {
		return err
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Release()
	g := &guest{tty: fd, own: own, pid: pid, ended: make(chan struct{})}
	defer close(g.ended)
	defer context.AfterFunc(ctx, g.end)()
	if err := g.wait(); err != nil || ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

// front makes a process group the one that has the terminal.
func front(tty, group int) { unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, group) }

// guest is a program in the foreground. pid is also the id of its group.
type guest struct {
	tty, own, pid int
	ended         chan struct{}
}

// wait is until it has ended. While it is stopped parley is, too.
func (g *guest) wait() error {
	for {
		var status unix.WaitStatus
		switch _, err := unix.Wait4(g.pid, &status, unix.WUNTRACED, nil); {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("wait for it: %w", err)
		case status.Stopped():
			g.stop()
		case status.Signaled():
			return fmt.Errorf("signal: %v", status.Signal())
		case status.ExitStatus() != 0:
			return fmt.Errorf("exit status %d", status.ExitStatus())
		default:
			return nil
		}
	}
}

// stop gives the terminal to whoever has started parley, as the program has, and takes
// it back when that goes on. Where nobody could go on the system stops no one, and the
// program goes on at once.
func (g *guest) stop() {
	const begin = 200 * time.Millisecond
	front(g.tty, g.own)
	again := make(chan os.Signal, 1)
	signal.Notify(again, unix.SIGCONT)
	defer signal.Stop(again)
	for { // until parley is in front again
		unix.Kill(0, unix.SIGTSTP)
		select {
		case <-again:
		case <-time.After(begin):
		}
		if group, err := unix.IoctlGetInt(g.tty, unix.TIOCGPGRP); err != nil || group == g.own {
			break
		}
	}
	front(g.tty, g.pid)
	unix.Kill(-g.pid, unix.SIGCONT)
}

// end has it end, in order where it can.
func (g *guest) end() {
	unix.Kill(-g.pid, unix.SIGTERM)
	unix.Kill(-g.pid, unix.SIGCONT)
	select {
	case <-g.ended:
	case <-time.After(endPatience):
		unix.Kill(-g.pid, unix.SIGKILL)
	}
}

func terminate(p *os.Process) { p.Signal(unix.SIGTERM) }
