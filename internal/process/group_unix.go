//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

func setAttributes(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true // a new session is a new group too
	endWithParent(cmd.SysProcAttr)
}

// signalGroup signals all members of the group. Some systems return EPERM if only zombies are left.
func (g *Group) signalGroup(sig unix.Signal) error {
	err := unix.Kill(-g.pid, sig)
	if err == nil || errors.Is(err, unix.ESRCH) || (errors.Is(err, unix.EPERM) && g.reaped) {
		return nil
	}
	return fmt.Errorf("signal group %d: %w", g.pid, err)
}

// SignalName returns the signal that ended the program ("SIGKILL"), or "" if it exited.
func SignalName(state *os.ProcessState) string {
	if state == nil {
		return ""
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	if name := unix.SignalName(status.Signal()); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(status.Signal())) // a real-time signal has no name
}
