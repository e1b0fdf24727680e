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

// give runs the program in the terminal's foreground process group, provided that this is parley's
// own terminal and parley is in the foreground.
func give(ctx context.Context, cmd *exec.Cmd) error {
	tty, ok := cmd.Stdin.(*os.File)
	_, out := cmd.Stdout.(*os.File)
	_, errs := cmd.Stderr.(*os.File)
	if !ok || !out || !errs {
		return runPlain(ctx, cmd)
	}
	fd, own := int(tty.Fd()), unix.Getpgrp()
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || group != own {
		return runPlain(ctx, cmd)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: fd}
	err := cmd.Start() // even if Start fails, the program may already have taken the terminal
	// parley is now in the background, where taking the foreground back would stop it with SIGTTOU.
	// Ignore the signal only after Start, or the program would inherit that.
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	defer setForeground(fd, own)
	if err != nil {
		return err
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Release()
	g := &guest{tty: fd, own: own, pid: pid, ended: make(chan struct{})}
	defer close(g.ended)
	defer context.AfterFunc(ctx, g.terminate)()
	if err := g.wait(); err != nil || ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

// setForeground makes group the foreground process group of the terminal.
func setForeground(tty, group int) { unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, group) }

// guest is a program in the foreground. Its pid is also the id of its process group.
type guest struct {
	tty, own, pid int
	ended         chan struct{}
}

// wait returns when the program has ended. While the program is stopped, so is parley.
func (g *guest) wait() error {
	for {
		var status unix.WaitStatus
		switch _, err := unix.Wait4(g.pid, &status, unix.WUNTRACED, nil); {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("wait for it: %w", err)
		case status.Stopped():
			g.suspend()
		case status.Signaled():
			return fmt.Errorf("signal: %v", status.Signal())
		case status.ExitStatus() != 0:
			return fmt.Errorf("exit status %d", status.ExitStatus())
		default:
			return nil
		}
	}
}

// suspend puts parley's process group into the foreground and stops it, because the program was
// stopped. When the user resumes parley, the program continues in the foreground. If no shell could
// resume parley, the kernel ignores the stop and the program continues at once.
func (g *guest) suspend() {
	const begin = 200 * time.Millisecond
	setForeground(g.tty, g.own)
	again := make(chan os.Signal, 1)
	signal.Notify(again, unix.SIGCONT)
	defer signal.Stop(again)
	for { // until parley is in the foreground again
		unix.Kill(0, unix.SIGTSTP)
		select {
		case <-again:
		case <-time.After(begin):
		}
		if group, err := unix.IoctlGetInt(g.tty, unix.TIOCGPGRP); err != nil || group == g.own {
			break
		}
	}
	setForeground(g.tty, g.pid)
	unix.Kill(-g.pid, unix.SIGCONT)
}

// terminate ends the program, giving it time to exit cleanly.
func (g *guest) terminate() {
	unix.Kill(-g.pid, unix.SIGTERM)
	unix.Kill(-g.pid, unix.SIGCONT)
	select {
	case <-g.ended:
	case <-time.After(endPatience):
		unix.Kill(-g.pid, unix.SIGKILL)
	}
}

func terminate(p *os.Process) { p.Signal(unix.SIGTERM) }
